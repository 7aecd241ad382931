/** Log events of requests. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLog, type LogLevel } from "../../src/lib/observability/log.ts";
import { sampleDocument, testApp } from "../helpers/app.ts";

type Line = Record<string, unknown>;

/** Returns a server that collects its log. */
async function logged(level: LogLevel, flags: Record<string, string> = {}) {
  let text = "";
  const log = createLog({ level, write: (more) => void (text += more) });
  const server = await testApp({ flags, log });
  const lines = (): Line[] => {
    log.flush();
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  };
  return {
    server,
    log,
    /** Returns the log lines written during `work`. */
    async during(work: () => Promise<unknown>): Promise<Line[]> {
      const before = lines().length;
      await work();
      return lines().slice(before);
    },
    text: () => text,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test("a request is one line: request, caller and result; never its query or its key", async () => {
  await using here = await logged("info", { "slow-ms": "0" });
  const { server } = here;
  const { doc } = await sampleDocument(server);
  const owner = server.app.ctx.home.users.byEmail("olga@example.com");
  let requestId: string | null = null;
  const lines = await here.during(async () => {
    const path = `/api/docs/${doc}/tables/Table1/records?filter=${encodeURIComponent('{"A":["secret"]}')}`;
    const { headers } = await server.call("owner", "GET", path);
    requestId = headers.get("x-request-id");
  });
  expect(lines).toEqual([
    {
      time: expect.any(String),
      level: "info",
      event: "http.request",
      requestId,
      method: "GET",
      route: "/api/docs/{docId}/tables/{tableId}/records",
      status: 200,
      ms: expect.any(Number),
      user: owner?.id,
      document: doc,
      address: "127.0.0.1",
    },
  ]);
  expect(here.text().includes("secret")).toBe(false);
  for (const key of Object.values(server.keys)) expect(here.text().includes(key)).toBe(false);
});

test("slow requests are warnings, and the only lines at that level", async () => {
  await using here = await logged("warn", { "slow-ms": "1" });
  const all = await here.during(() => sampleDocument(here.server));
  const lines = all.filter(({ event }) => event === "http.request");
  // Creating a document file takes more than a millisecond on any machine.
  const slow = lines.find(({ route }) => route === "/api/workspaces/{workspaceId}/docs");
  expect(slow).toMatchObject({ level: "warn", event: "http.request", status: 200, slow: true });
  expect(lines.every(({ level, slow: isSlow }) => level === "warn" && isSlow === true)).toBe(true);
});

test("a failed request is a warning with its cause, and is kept among the recent problems", async () => {
  await using here = await logged("warn", { "slow-ms": "0" });
  const { server } = here;
  const { doc } = await sampleDocument(server);
  await server.app.ctx.documents.remove(doc);
  const lines = await here.during(() => server.call("owner", "GET", `/api/docs/${doc}/tables`));
  const request = lines.find(({ event }) => event === "http.request");
  expect(request).toMatchObject({ level: "warn", status: 500, route: "/api/docs/{docId}/tables", document: doc });
  expect(request).not.toContainKey("slow");
  const kept = here.log.recentProblems().find(({ event }) => event === "http.request");
  expect(kept?.fields["requestId"]).toBe(request?.["requestId"]);
});

test("the cause of a damaged file is logged with the id of the request", async () => {
  await using here = await logged("warn");
  const { server, folder } = { ...here, folder: here.server.folder };
  const { doc } = await sampleDocument(server);
  writeFileSync(join(folder, "docs", doc, "document.grist"), "no database");
  const reply = await server.call("owner", "GET", `/api/docs/${doc}/tables`);
  expect(reply.status).toBe(500);
  const refused = here.log.recentProblems().find(({ event }) => event === "http.request_refused");
  expect(refused?.fields).toMatchObject({ requestId: reply.headers.get("x-request-id"), status: 500, document: doc });
  expect(String(refused?.fields["error"]).length).toBeGreaterThan(0);
});

test("debug logs the reasons of refusals, other levels do not", async () => {
  for (const level of ["debug", "info"] as const) {
    await using here = await logged(level);
    const lines = await here.during(() => here.server.call("owner", "GET", "/api/docs/nothing/tables"));
    const why = lines.filter(({ event }) => event === "http.request_refused");
    expect(why.map(({ level: at, status }) => [at, status])).toEqual(level === "debug" ? [["debug", 404]] : []);
    expect(lines.filter(({ event }) => event === "http.request")).toHaveLength(1);
  }
});
