import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createLog } from "../../src/lib/observability/log.ts";
import { METRICS } from "../../src/services/administration/metrics.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { subscribe } from "../helpers/event-reader.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { createWebhookFixture } from "../helpers/webhook-fixture.ts";

const TOKEN = "t0ken-of-the-monitoring";
const authorization = (token = TOKEN) => ({ headers: { Authorization: `Bearer ${token}` } });

interface Scraped {
  readonly types: ReadonlyMap<string, string>;
  /** Values by name and labels. */
  readonly figures: ReadonlyMap<string, number>;
  readonly text: string;
}

/** Parses the text format strictly. */
function parsed(text: string): Scraped {
  const types = new Map<string, string>();
  const figures = new Map<string, number>();
  expect(text).toEndWith("\n");
  let name = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-z_]+) \S.*$/.exec(line);
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line);
    if (help) {
      name = help[1] ?? "";
      expect(types.has(name)).toBe(false);
    } else if (type) {
      expect(type[1]).toBe(name);
      types.set(name, type[2] ?? "");
    } else {
      const figure = /^([a-z_]+)(\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})? (\S+)$/.exec(line);
      if (!figure) throw new Error(`no line of the format: ${line}`);
      const suffixes = types.get(name) === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      expect(suffixes.map((suffix) => name + suffix)).toContain(figure[1] ?? "");
      const key = `${figure[1]}${figure[2] ?? ""}`;
      expect(figures.has(key)).toBe(false);
      expect(figure[3]).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$/);
      figures.set(key, Number(figure[3]));
    }
  }
  return { types, figures, text };
}

async function scrape({ call }: TestApp): Promise<Scraped> {
  const { status, body, headers } = await call("anon", "GET", "/metrics", undefined, authorization());
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  return parsed(String(body));
}

const REQUESTS = "quern_http_requests_total";
const DURATIONS = "quern_http_request_duration_seconds";

describe("requests", () => {
  test("count by method, route and status, with durations", async () => {
    await using server = await testApp({ flags: { metrics: TOKEN } });
    const { doc } = await sampleDocument(server);
    const route = "/api/docs/{docId}";
    for (const as of ["owner", "owner", "stranger", "anon", "badkey"] as const) {
      await server.call(as, "GET", `/api/docs/${doc}`);
    }
    await server.call("owner", "GET", "/api/Docs/nothing/");
    const { figures } = await scrape(server);
    const byStatus = (status: number) => figures.get(`${REQUESTS}{method="GET",route="${route}",status="${status}"}`);
    expect([200, 403, 404].map(byStatus)).toEqual([2, 2, 1]);
    expect(figures.get(`${DURATIONS}_count{method="GET",route="${route}"}`)).toBe(5);
    expect(figures.get(`${DURATIONS}_bucket{method="GET",route="${route}",le="+Inf"}`)).toBe(5);
    // A wrong key is refused before routing.
    expect(figures.get(`${REQUESTS}{method="GET",route="unknown",status="401"}`)).toBe(1);
    expect(figures.get("quern_http_requests_in_flight")).toBe(0);
  });

  test("create no labels for paths, of the API or of pages", async () => {
    await using server = await testApp({ flags: { metrics: TOKEN } });
    const ask = async (name: string) => {
      for (const path of [`/api/docs/${name}`, `/api/${name}`, `/${name}`, `/reference/${name}`, `/assets/${name}`]) {
        await server.call("owner", "GET", path, undefined, { headers: { Accept: "text/html" } });
        await server.call("owner", "GET", path);
      }
      await server.app.handle(new Request(`http://quern.test/${name}`, { method: name.toUpperCase() }));
    };
    await ask("first-of-all");
    await scrape(server);
    const before = await scrape(server);
    await ask("second-of-all");
    const after = await scrape(server);
    expect([...after.figures.keys()]).toEqual([...before.figures.keys()]);
    expect(after.text.includes("second-of")).toBe(false);
    expect(after.figures.get(`${REQUESTS}{method="GET",route="/reference/{group}",status="404"}`)).toBe(4);
  });
});

test("every metric has samples once every feature was used, and its name follows the conventions", async () => {
  await using told = await createWebhookFixture({ metrics: TOKEN });
  const { server } = told;
  await told.make();
  await told.add({ Name: "Salt" });
  await told.receiver.next();
  await told.quiet();
  await server.must("GET", `${told.doc}/sql?q=select%201`);
  const { types, figures } = await scrape(server);
  // No backups are made here, and the server has neither a certificate nor a replicated log.
  const expected = Object.entries(METRICS).filter(
    ([name]) => !/^quern_(?:backup|tls|replicated_log|cluster)_/.test(name),
  );
  expect([...types]).toEqual(expected.map(([name, { type }]) => [name, type]));
  for (const [name, type] of types) {
    expect(name.endsWith("_total")).toBe(type === "counter");
    if (type === "histogram") expect(name).toEndWith("_seconds");
  }
  expect(figures.get("quern_documents_open")).toBe(1);
  expect(figures.get('quern_sql_processes{state="idle"}')).toBe(1);
  for (const name of [
    "quern_formula_recalculation_duration_seconds_count",
    'quern_sqlite_commit_duration_seconds_count{database="home"}',
    'quern_sqlite_commit_duration_seconds_count{database="document"}',
    'quern_sqlite_lock_wait_duration_seconds_count{database="document"}',
    'quern_webhook_deliveries_total{outcome="delivered"}',
    "quern_webhook_delivery_duration_seconds_count",
    "quern_memory_anonymous_bytes",
    "process_resident_memory_bytes",
    "process_cpu_seconds_total",
    "quern_data_disk_free_bytes",
  ]) {
    expect([name, figures.get(name) ?? 0]).toEqual([name, expect.any(Number)]);
    expect(figures.get(name)).toBeGreaterThan(0);
  }
});

test("a change makes one commit of its document, and one recalculation", async () => {
  await using server = await testApp({ flags: { metrics: TOKEN } });
  const { doc } = await sampleDocument(server);
  const add = () => server.must("POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields: {} }] });
  await add();
  const names = [
    'quern_sqlite_commit_duration_seconds_count{database="document"}',
    'quern_sqlite_lock_wait_duration_seconds_count{database="document"}',
    "quern_formula_recalculation_duration_seconds_count",
  ];
  const before = await scrape(server);
  await add();
  const after = await scrape(server);
  for (const name of names)
    expect([name, (after.figures.get(name) ?? 0) - (before.figures.get(name) ?? 0)]).toEqual([name, 1]);
});

test("event streams count while they are open", async () => {
  await using server = await testApp({ flags: { metrics: TOKEN } });
  const { doc } = await sampleDocument(server);
  const open = async () => (await scrape(server)).figures.get("quern_event_streams_open");
  expect(await open()).toBe(0);
  {
    await using reader = await subscribe(server, "owner", `/api/docs/${doc}`);
    await reader.next();
    expect(await open()).toBe(1);
  }
  expect(await open()).toBe(0);
});

test("reports the newest backup, and the last failure", async () => {
  const flags = { metrics: TOKEN, "backup-to": join(tempFolder(), "here"), "backup-every": "6h" };
  await using server = await testApp({ flags });
  const { backups } = server.app.ctx;
  await backups.whenIdle();
  await backups.backUpNow();
  const { lastSuccess } = backups.status();
  const { figures } = await scrape(server);
  expect(figures.get("quern_backup_last_success_timestamp_seconds")).toBe((lastSuccess?.at ?? 0) / 1000);
  expect(lastSuccess?.at).toBeGreaterThan(0);
  expect(figures.has("quern_backup_last_failure_timestamp_seconds")).toBe(false);
});

test("warnings and errors count, also below the log level", async () => {
  const log = createLog({ level: "error", write() {} });
  await using server = await testApp({ flags: { metrics: TOKEN }, log });
  const figure = async () => (await scrape(server)).figures.get('quern_log_messages_total{level="warn"}') ?? 0;
  const before = await figure();
  log.warn("odd");
  expect(await figure()).toBe(before + 1);
});

describe("access", () => {
  const get = (server: TestApp, headers: Record<string, string>, peer = "127.0.0.1", path = "/metrics") =>
    server.app.handle(new Request(`http://127.0.0.1:8080${path}`, { headers }), { peer });

  test("off, the default: the path does not exist, for all callers", async () => {
    await using server = await testApp();
    for (const headers of [{}, { Authorization: `Bearer ${server.keys.owner}` }, { Accept: "text/html" }]) {
      expect((await get(server, headers)).status).toBe(404);
    }
  });

  test("with a token: any client that sends it, from any address", async () => {
    await using server = await testApp({ flags: { metrics: TOKEN } });
    expect((await get(server, { Authorization: `Bearer ${TOKEN}` }, "203.0.113.7")).status).toBe(200);
    for (const wrong of [`Bearer ${TOKEN}x`, TOKEN, `bearer ${TOKEN}`, "Bearer ", `Bearer ${server.keys.owner}`]) {
      expect((await get(server, { Authorization: wrong })).status).toBe(401);
    }
    const { status } = await get(server, {});
    expect(status).toBe(401);
  });

  test("loopback: programs on this machine, but not through a proxy or from a page", async () => {
    await using server = await testApp({ flags: { metrics: "loopback" } });
    const local = { Host: "127.0.0.1:8080" };
    for (const [headers, peer] of [
      [local, "127.0.0.1"],
      [local, "::ffff:127.0.0.1"],
      [{ Host: "localhost" }, "::1"],
      [{ Host: "[::1]:8080" }, "::1"],
    ] as const) {
      expect([headers, peer, (await get(server, headers, peer)).status]).toEqual([headers, peer, 200]);
    }
    for (const [headers, peer] of [
      [local, "203.0.113.7"],
      [local, ""],
      [{ Host: "docs.example.org" }, "127.0.0.1"],
      [{ ...local, "X-Forwarded-For": "203.0.113.7" }, "127.0.0.1"],
      [{ ...local, "X-Forwarded-For": "127.0.0.1" }, "127.0.0.1"],
      [{ ...local, "X-Forwarded-Proto": "https" }, "127.0.0.1"],
      [{ ...local, "X-Forwarded-Host": "localhost" }, "127.0.0.1"],
      [{ ...local, "X-Real-IP": "203.0.113.7" }, "127.0.0.1"],
      [{ ...local, Forwarded: "for=203.0.113.7" }, "127.0.0.1"],
      [{ ...local, Via: "1.1 proxy" }, "127.0.0.1"],
      [{ ...local, Origin: "http://evil.example" }, "127.0.0.1"],
    ] as const) {
      expect([headers, peer, (await get(server, headers, peer)).status]).toEqual([headers, peer, 403]);
    }
  });

  test("only GET and HEAD, and only this path", async () => {
    await using server = await testApp({ flags: { metrics: TOKEN } });
    const send = (method: string, path = "/metrics") =>
      server.call("anon", method, path, undefined, authorization()).then(({ status }) => status);
    expect(await send("HEAD")).toBe(200);
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      expect([method, await send(method)]).toEqual([method, 404]);
    expect(await send("GET", "/metrics/all")).not.toBe(200);
  });

  test("responses are not cached", async () => {
    await using server = await testApp({ flags: { metrics: TOKEN } });
    const reply = await server.call("anon", "GET", "/metrics", undefined, authorization());
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });
});
