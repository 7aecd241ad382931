/** Where a request goes: class of request × owner, and what happens when the owner has changed or is gone. */
import { afterAll, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import { Owners } from "../../../src/cluster/node/owners.ts";
import type { Owner } from "../../../src/cluster/postgres/statements/ownership.ts";
import { Forwarder, type ForwarderOptions } from "../../../src/cluster/proxy/forwarder.ts";
import { HopReceiver } from "../../../src/cluster/proxy/receive.ts";
import { silentLog } from "../../../src/lib/observability/log.ts";
import { systemTimers } from "../../../src/lib/time/timers.ts";

const SECRET = Buffer.from("secret");
const DOC = "4f9f4b2e-0000-4000-8000-000000000001";

type Behaviour = "answers" | "misdirected" | "loses" | "hangs";

/** A node that behaves in a given way, and counts requests. */
function node(id: string) {
  const receiver = new HopReceiver({ secret: () => SECRET, nodeId: () => id });
  const seen: string[] = [];
  const state: { behaviour: Behaviour; onRequest: () => void } = { behaviour: "answers", onRequest() {} };
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const hop = receiver.receive(request);
      state.onRequest();
      if (hop === "misdirected") return new Response(null, { status: 421 });
      if (hop === null || hop === "invalid")
        return new Response(null, { status: 400, headers: { "X-Quern-Hop": "invalid" } });
      seen.push(`${request.method} ${hop.doc} ${await request.text()}`);
      if (state.behaviour === "misdirected") return new Response(null, { status: 421 });
      if (state.behaviour === "hangs") await new Promise(() => {});
      if (state.behaviour === "loses") {
        void server.stop(true);
        await new Promise(() => {});
      }
      return new Response(`${id} for ${hop.address}`, { status: 201 });
    },
  });
  stops.push(() => void server.stop(true));
  const row: Owner = { node: id, address: `http://127.0.0.1:${server.port}`, epoch: 1, isAlive: true };
  return { id, row, seen, state, stop: () => server.stop(true) };
}
const stops: (() => void)[] = [];
afterAll(() => stops.forEach((stop) => stop()));

function forwarderOf(
  rows: Map<string, Owner>,
  changed: Partial<Pick<ForwarderOptions, "own">> & { isOwned?: boolean; ownsHome?: boolean } = {},
) {
  const { isOwned = false, ownsHome = false, own = () => null } = changed;
  const owners = new Owners({ find: async (doc) => rows.get(doc) ?? null, nodeId: () => "self" });
  const forwarder = new Forwarder({
    owners,
    secret: () => SECRET,
    homeSeq: () => 1,
    isOwned: () => isOwned,
    own,
    ownHome: async () => ownsHome,
    log: silentLog,
    timers: systemTimers,
  });
  const send = async (
    method: string,
    { doc = DOC, body = null as string | ReadableStream<Uint8Array> | null } = {},
  ) => {
    const answer = await forwarder.forward(doc, {
      request: new Request("http://q.test/api/x?y=%2F", { method }),
      requestId: "r",
      address: "198.51.100.7",
      origin: "http://q.test",
      host: "q.test",
      proxyUser: null,
      readBody: async () => (typeof body === "string" ? new Uint8Array(Buffer.from(body)) : body),
      timeoutMs: 10_000,
      isStream: false,
    });
    return answer && [answer.response.status, await answer.response.text(), answer.node];
  };
  return { owners, send };
}

const refusal = async (work: Promise<unknown>): Promise<AppError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error(`no refusal: ${String(error)}`);
  return error;
};

describe.each(["GET", "POST"])("a %s request", (method) => {
  const body = method === "POST" ? "{}" : null;

  test("is answered here by the owner, and where there is no owner", async () => {
    const b = node("b");
    expect(await forwarderOf(new Map([[DOC, b.row]]), { isOwned: true }).send(method, { body })).toBeNull();
    expect(await forwarderOf(new Map()).send(method, { body })).toBeNull();
    const dead = { ...b.row, isAlive: false };
    expect(await forwarderOf(new Map([[DOC, dead]])).send(method, { body })).toBeNull();
    expect(b.seen).toEqual([]);
  });

  test("is sent to another owner once, with its client", async () => {
    const b = node("b");
    const { send } = forwarderOf(new Map([[DOC, b.row]]));
    expect(await send(method, { body })).toEqual([201, "b for 198.51.100.7", "b"]);
    expect(b.seen).toEqual([`${method} ${DOC} ${body ?? ""}`]);
  });

  test("goes to the new owner when the cached one gives 421", async () => {
    const [b, c] = [node("b"), node("c")];
    const rows = new Map([[DOC, b.row]]);
    const { send } = forwarderOf(rows);
    await send(method, { body });
    rows.set(DOC, c.row);
    b.state.behaviour = "misdirected";
    expect(await send(method, { body })).toEqual([201, "c for 198.51.100.7", "c"]);
    expect([b.seen.length, c.seen.length]).toEqual([2, 1]);
  });

  test("is answered here when the cached owner gives 421 and has released the document", async () => {
    const b = node("b");
    const rows = new Map([[DOC, b.row]]);
    const { send } = forwarderOf(rows);
    await send(method, { body });
    rows.delete(DOC);
    b.state.behaviour = "misdirected";
    expect(await send(method, { body })).toBeNull();
  });

  test("gets 503 with Retry-After when two nodes give 421, and never 421", async () => {
    const [b, c] = [node("b"), node("c")];
    const rows = new Map([[DOC, b.row]]);
    b.state.behaviour = "misdirected";
    b.state.onRequest = () => rows.set(DOC, c.row);
    c.state.behaviour = "misdirected";
    const { reason, retryAfterS } = await refusal(forwarderOf(rows).send(method, { body }));
    expect([reason, retryAfterS, b.seen.length, c.seen.length]).toEqual(["cluster.unreachable", 1, 1, 1]);
  });

  test("goes to the node that was faster in taking a document without an owner", async () => {
    const b = node("b");
    const rows = new Map<string, Owner>();
    const own = async () => {
      rows.set(DOC, b.row);
      throw new AppError("document.elsewhere", "Another server has this document open; try again");
    };
    expect(await forwarderOf(rows, { own }).send(method, { body })).toEqual([201, "b for 198.51.100.7", "b"]);
    const fails = () => Promise.reject(new AppError("log.unavailable", "The route refuses, after its own checks"));
    expect(await forwarderOf(new Map(), { own: fails }).send(method, { body })).toBeNull();
  });

  test("waits for another owner when the owner does not accept connections", async () => {
    const [b, c] = [node("b"), node("c")];
    const rows = new Map([[DOC, b.row]]);
    await b.stop();
    const sent = forwarderOf(rows).send(method, { body });
    systemTimers.after(300, () => rows.set(DOC, c.row));
    expect(await sent).toEqual([201, "c for 198.51.100.7", "c"]);
  });

  test("is refused when the dead owner gets no successor", async () => {
    const b = node("b");
    await b.stop();
    const { reason, details } = await refusal(forwarderOf(new Map([[DOC, b.row]])).send(method, { body }));
    expect([reason, details]).toEqual(["cluster.unreachable", undefined]);
  }, 20_000);

  test("of which nothing is known any more is repeated only if it reads", async () => {
    const [b, c] = [node("b"), node("c")];
    const rows = new Map([[DOC, b.row]]);
    b.state.behaviour = "loses";
    b.state.onRequest = () => rows.set(DOC, c.row);
    const sent = forwarderOf(rows).send(method, { body });
    if (method === "GET") expect(await sent).toEqual([201, "c for 198.51.100.7", "c"]);
    else {
      const { reason, details } = await refusal(sent);
      expect([reason, details]).toEqual(["cluster.node_lost", { outcome: "unknown" }]);
      expect(c.seen).toEqual([]);
    }
  });

  test("does not wait for a node that hangs once another one is the owner", async () => {
    const [b, c] = [node("b"), node("c")];
    const rows = new Map([[DOC, b.row]]);
    b.state.behaviour = "hangs";
    b.state.onRequest = () => rows.set(DOC, c.row);
    const sent = forwarderOf(rows).send(method, { body });
    if (method === "GET") expect(await sent).toEqual([201, "c for 198.51.100.7", "c"]);
    else expect((await refusal(sent)).details).toEqual({ outcome: "unknown" });
  });

  test("that changes home is answered here when this node becomes its owner, else by the owner", async () => {
    const b = node("b");
    expect(await forwarderOf(new Map(), { ownsHome: true }).send(method, { doc: "home", body })).toBeNull();
    const rows = new Map<string, Owner>();
    const sent = forwarderOf(rows).send(method, { doc: "home", body });
    systemTimers.after(300, () => rows.set("home", b.row));
    expect(await sent).toEqual([201, "b for 198.51.100.7", "b"]);
  });
});

test("a body that was sent as a stream is not sent again", async () => {
  const [b, c] = [node("b"), node("c")];
  const rows = new Map([[DOC, b.row]]);
  b.state.behaviour = "misdirected";
  b.state.onRequest = () => rows.set(DOC, c.row);
  const body = new Response("x".repeat(100_000)).body as ReadableStream<Uint8Array>;
  expect((await refusal(forwarderOf(rows).send("POST", { body }))).reason).toBe("cluster.unreachable");
  expect(c.seen).toEqual([]);
});

test("a hop is for one node, and accepted once", async () => {
  const headers: string[] = [];
  const catching = Bun.serve({
    port: 0,
    fetch(request) {
      headers.push(request.headers.get("X-Quern-Hop") ?? "");
      return new Response("ok");
    },
  });
  stops.push(() => void catching.stop(true));
  const row = { node: "b", address: `http://127.0.0.1:${catching.port}`, epoch: 1, isAlive: true };
  const { send } = forwarderOf(new Map([[DOC, row]]));
  await send("GET");
  await send("GET");
  const receiverOf = (id: string | null) => new HopReceiver({ secret: () => SECRET, nodeId: () => id });
  const replayed = (header: string) => new Request("http://b/api/x?y=%2F", { headers: { "X-Quern-Hop": header } });
  const b = receiverOf("b");
  for (const header of headers) {
    expect(b.receive(replayed(header))).toMatchObject({ doc: DOC, address: "198.51.100.7", origin: "http://q.test" });
    expect(b.receive(replayed(header))).toBe("invalid");
    expect(receiverOf("c").receive(replayed(header))).toBe("misdirected");
    // The same machine after a restart: another process may have answered the request.
    expect(receiverOf(null).receive(replayed(header))).toBe("misdirected");
    expect(new HopReceiver({ secret: () => null, nodeId: () => "b" }).receive(replayed(header))).toBe("invalid");
  }
  expect(b.receive(new Request("http://b/api/x"))).toBeNull();
});
