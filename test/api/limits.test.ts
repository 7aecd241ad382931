/** Limits on concurrent requests, request rate and duration, and slow clients. */
import { describe, expect, test } from "bun:test";
import type { Connection } from "../../src/http/server.ts";
import { type Sample, sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { MINUTE, SECOND, TestTimers } from "../helpers/clock.ts";
import { createWebhookFixture } from "../helpers/webhook-fixture.ts";

interface Limited extends AsyncDisposable {
  readonly server: TestApp;
  readonly timers: TestTimers;
  readonly sample: Sample;
}

async function limited(flags: Record<string, string>): Promise<Limited> {
  const timers = new TestTimers();
  const server = await testApp({ flags, timers, clock: timers.clock });
  const sample = await sampleDocument(server);
  // Requests during setup do not count.
  timers.pass(10 * MINUTE);
  return { server, timers, sample, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** A body that is sent on demand. */
class Drops {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  wasGivenUp = false;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;

  constructor() {
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      cancel: () => void (this.wasGivenUp = true),
    });
  }

  send(text: string): void {
    if (!this.wasGivenUp) this.#controller?.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this.#controller?.close();
  }
}

/** Sends the body of a request that adds records in parts. */
function adding({ server, sample }: Limited, { key, size }: { key?: string; size?: number }) {
  const drops = new Drops();
  const request = new Request(`http://quern.test/o/team/api/docs/${sample.doc}/tables/Table1/records`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key ?? server.keys.owner}`,
      "Content-Type": "application/json",
      ...(size !== undefined && { "Content-Length": String(size) }),
    },
    body: drops.stream,
  });
  return { drops, answer: server.app.handle(request) };
}

/** Waits until requests in flight have progressed as far as they can. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
};

const rowCount = async ({ server, sample }: Limited): Promise<number> =>
  (await server.must<{ records: unknown[] }>("GET", `/api/docs/${sample.doc}/tables/Table1/records`)).records.length;

describe("a rate for each key", () => {
  test("admits requests up to the limit, reports a true Retry-After, and counts each key separately", async () => {
    await using all = await limited({ "rate-per-key": "6" });
    const { server, timers, sample } = all;
    const statusOf = async (as: "owner" | "stranger") => (await server.call(as, "GET", "/api/profile/user")).status;
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push(await statusOf("owner"));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(await statusOf("stranger")).toBe(200);
    const refused = await server.call("owner", "POST", `/api/docs/${sample.doc}/tables/Table1/records`, {
      records: [{ fields: {} }],
    });
    expect(refused).toMatchObject({ status: 429, body: { error: "The limit is 6 requests per minute" } });
    const waitS = Number(refused.headers.get("retry-after"));
    expect(waitS).toBe(10);
    timers.pass((waitS - 1) * SECOND);
    expect(await statusOf("owner")).toBe(429);
    timers.pass(SECOND);
    expect(await statusOf("owner")).toBe(200);
    expect(await statusOf("owner")).toBe(429);
    timers.pass(10 * SECOND);
    expect(await rowCount(all)).toBe(0);
  });

  test("counts callers without a key, and with a wrong one, by address; the status of the server is not limited", async () => {
    await using all = await limited({ "rate-per-key": "3" });
    const { server } = all;
    const ask = async (peer: string, path: string, headers = {}) =>
      (await server.app.handle(new Request(`http://quern.test${path}`, { headers }), { peer })).status;
    const wrong = { Authorization: `Bearer ${"0".repeat(40)}` };
    expect(await ask("192.0.2.1", "/api/orgs")).toBe(200);
    expect(await ask("192.0.2.1", "/api/profile/user", wrong)).toBe(401);
    expect(await ask("192.0.2.1", "/api/orgs")).toBe(200);
    expect(await ask("192.0.2.1", "/api/orgs")).toBe(429);
    expect(await ask("192.0.2.1", "/api/orgs", wrong)).toBe(429);
    expect(await ask("192.0.2.1", "/status")).toBe(200);
    expect(await ask("192.0.2.2", "/api/orgs")).toBe(200);
    // A network of IPv6 is one caller.
    for (const host of ["1", "2", "3"]) expect(await ask(`2001:db8::${host}`, "/api/orgs")).toBe(200);
    expect(await ask("2001:db8:0:0:ffff::4", "/api/orgs")).toBe(429);
  });

  test("does not depend on the system clock", async () => {
    await using all = await limited({ "rate-per-key": "3" });
    const { server, timers } = all;
    const ask = async () => (await server.call("owner", "GET", "/api/profile/user")).status;
    for (let i = 0; i < 3; i++) expect(await ask()).toBe(200);
    timers.clock.jump(-60 * MINUTE);
    expect(await ask()).toBe(429);
    timers.pass(20 * SECOND);
    expect(await ask()).toBe(200);
    timers.clock.jump(10 * 365 * 24 * 60 * MINUTE);
    expect(await ask()).toBe(429);
  });
});

describe("requests in flight", () => {
  test("one caller gets half of the capacity, other callers the rest; then all are refused until a request ends", async () => {
    await using all = await limited({ "max-requests": "4" });
    const { server } = all;
    const own = [adding(all, {}), adding(all, {})];
    await settled();
    const third = await server.call("owner", "GET", "/api/profile/user");
    expect(third).toMatchObject({
      status: 429,
      body: { error: "Too many concurrent requests; retry when one has finished" },
    });
    expect(third.headers.get("retry-after")).toBe("1");
    const others = [adding(all, { key: server.keys.editor }), adding(all, { key: server.keys.stranger })];
    await settled();
    const full = await server.call("viewer", "GET", "/api/profile/user");
    expect(full).toMatchObject({ status: 503, body: { error: "The server is overloaded; try again later" } });
    expect(full.headers.get("retry-after")).toBe("1");
    expect((await server.call("anon", "GET", "/status")).status).toBe(200);
    for (const { drops } of own) {
      drops.send('{"records":[{"fields":{}}]}');
      drops.end();
    }
    expect((await Promise.all(own.map(({ answer }) => answer))).map(({ status }) => status)).toEqual([200, 200]);
    expect((await server.call("viewer", "GET", "/api/profile/user")).status).toBe(200);
    for (const { drops } of others) drops.end();
    expect((await Promise.all(others.map(({ answer }) => answer))).map(({ status }) => status)).toEqual([403, 403]);
    expect(await rowCount(all)).toBe(2);
  });

  test("responses being sent count, as reported by the connections", async () => {
    await using all = await limited({ "max-requests": "10" });
    const ask = async (path: string, pending: number) => {
      const connection: Partial<Connection> = { pending: () => pending };
      return (await all.server.app.handle(new Request(`http://quern.test${path}`), connection)).status;
    };
    expect(await ask("/api/orgs", 10)).toBe(200);
    expect(await ask("/api/orgs", 11)).toBe(503);
    expect(await ask("/sign-in", 11)).toBe(503);
    expect(await ask("/status", 11)).toBe(200);
  });

  test("are unlimited without a setting", async () => {
    await using all = await limited({ "max-requests": "0", "max-parallel": "0" });
    const many = Array.from({ length: 30 }, () => adding(all, {}));
    await settled();
    for (const { drops } of many) drops.end();
    for (const { answer } of many) expect((await answer).status).toBe(400);
  });
});

describe("concurrent large bodies", () => {
  test("acquire memory per caller, which is released with the response", async () => {
    await using all = await limited({ "max-body": "20KB", "max-parallel": "0" });
    const bodies = Array.from({ length: 9 }, () => adding(all, {}));
    await settled();
    for (const { drops } of bodies) drops.send(`{"records":[{"fields":{}}]${" ".repeat(19_000)}`);
    const last = await Promise.race(bodies.map(({ answer }) => answer));
    expect(last.status).toBe(429);
    expect(await last.json()).toEqual({
      error: "Too many concurrent uploads; retry when one has finished",
      details: { code: "limit.uploads" },
    });
    expect(last.headers.get("retry-after")).toBe("1");
    for (const { drops } of bodies) if (!drops.wasGivenUp) drops.send("}");
    for (const { drops } of bodies) if (!drops.wasGivenUp) drops.end();
    const statuses = await Promise.all(bodies.map(async ({ answer }) => (await answer).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429]);
    expect(await rowCount(all)).toBe(8);
    const again = adding(all, {});
    again.drops.send(`{"records":[{"fields":{}}]${" ".repeat(19_000)}}`);
    again.drops.end();
    expect((await again.answer).status).toBe(200);
  });
});

describe("an incomplete body", () => {
  const isSlow = async ({ answer, drops }: ReturnType<typeof adding>): Promise<void> => {
    const response = await answer;
    expect(response.status).toBe(408);
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.json()).toEqual({
      error: "The body did not arrive in time",
      details: { code: "body.timeout" },
    });
    expect(drops.wasGivenUp).toBe(true);
  };

  test("of a known length times out, and nothing is written", async () => {
    await using all = await limited({ "client-timeout-s": "5" });
    const request = adding(all, { size: 60_000 });
    await settled();
    request.drops.send('{"records":[{"fields":{}}]}');
    await settled();
    all.timers.pass(6 * SECOND);
    await isSlow(request);
    expect(await rowCount(all)).toBe(0);
  });

  test("times out however it is split; a slow one is accepted", async () => {
    await using all = await limited({ "client-timeout-s": "5" });
    const drips = adding(all, {});
    const slow = adding(all, {});
    await settled();
    const text = `{"records":[{"fields":{}}]${" ".repeat(40_000)}}`;
    for (let at = 0; at < text.length; at += 5000) {
      drips.drops.send("  ");
      slow.drops.send(text.slice(at, at + 5000));
      if (at + 5000 >= text.length) slow.drops.end();
      await settled();
      all.timers.pass(4 * SECOND);
      await settled();
    }
    await isSlow(drips);
    // 40,000 bytes within 32 seconds.
    expect((await slow.answer).status).toBe(200);
    expect(await rowCount(all)).toBe(1);
  });

  test("of an upload times out as well, and its file is removed", async () => {
    await using all = await limited({ "client-timeout-s": "5" });
    const { server, sample } = all;
    const drops = new Drops();
    const answer = server.app.handle(
      new Request(`http://quern.test/o/team/api/docs/${sample.doc}/attachments`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${server.keys.owner}`,
          "Content-Type": "multipart/form-data; boundary=b",
        },
        body: drops.stream,
      }),
    );
    drops.send('--b\r\nContent-Disposition: form-data; name="upload"; filename="a.txt"\r\n\r\nfirst bytes');
    await settled();
    all.timers.pass(6 * SECOND);
    await isSlow({ answer, drops });
    expect(await Array.fromAsync(new Bun.Glob("upload-*").scan(`${server.folder}/tmp`))).toEqual([]);
  });
});

describe("long-running work", () => {
  test("that reads is cancelled with 503", async () => {
    await using all = await limited({ "deadline-s": "5", "sql-timeout-ms": "20000" });
    const { server, timers, sample } = all;
    const sql = encodeURIComponent(
      "with recursive n(i) as (select 1 union all select i+1 from n where i < 3000000) select max(i) from n",
    );
    const answer = server.call("owner", "GET", `/api/docs/${sample.doc}/sql?q=${sql}`);
    await settled();
    timers.pass(6 * SECOND);
    const reply = await answer;
    expect(reply).toMatchObject({
      status: 503,
      body: { error: "The request exceeded the time limit of 5 seconds; try again later" },
    });
    expect(reply.headers.get("retry-after")).toBe("10");
  });

  test("that writes is not reported as undone; it continues, and counts until it ends", async () => {
    const timers = new TestTimers();
    await using all = await createWebhookFixture(
      { "deadline-s": "1", "max-parallel": "1", "webhook-timeout-ms": "600000" },
      timers,
    );
    const { server, receiver, hooks } = all;
    const id = await all.make({});
    const held = Promise.withResolvers<Response>();
    receiver.replies.push(() => held.promise);
    const answer = server.call("owner", "POST", `${hooks}/${id}/test`);
    await receiver.next();
    // Longer than the timeout of other requests.
    timers.pass(2 * SECOND);
    await settled();
    timers.pass(59 * SECOND);
    const reply = await answer;
    expect(reply.status).toBe(504);
    expect(reply.body.error).toBe(
      "The request exceeded the time limit of 60 seconds and continues; check its result before you retry",
    );
    const busy = () => server.call("owner", "GET", `${hooks}/${id}/deliveries`);
    expect((await busy()).status).toBe(429);
    held.resolve(new Response("ok"));
    while ((await busy()).status === 429) await settled();
    expect((await busy()).status).toBe(200);
  });
});
