/** Requests that one node sends on to another. */
import { afterAll, expect, test } from "bun:test";
import { forward, type ForwardOptions } from "../../../src/cluster/proxy/forward.ts";

const requests: { method: string; url: string; headers: Record<string, string>; body: string }[] = [];
const released = Promise.withResolvers<undefined>();
const begun = Promise.withResolvers<undefined>();
const aborted = Promise.withResolvers<undefined>();

const owner = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    const seen = { method: request.method, url: request.url, headers, body: "" };
    if (pathname === "/misdirected") return new Response("not mine", { status: 421 });
    if (pathname === "/compressed") {
      return new Response(Bun.gzipSync("x".repeat(1000)), {
        status: 404,
        headers: [
          ["Content-Encoding", "gzip"],
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2"],
          ["Connection", "X-Private"],
          ["X-Private", "1"],
        ],
      });
    }
    if (pathname === "/watched") {
      begun.resolve(undefined);
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      aborted.resolve(undefined);
    }
    if (pathname === "/endless") {
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("first")) }));
    }
    if (pathname === "/events") {
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(Buffer.from("first"));
            await released.promise;
            controller.enqueue(Buffer.from("second"));
            controller.close();
          },
        }),
      );
    }
    if (pathname === "/redirect") return Response.redirect("https://elsewhere.example/", 302);
    if (pathname === "/slow") await Bun.sleep(5000);
    seen.body = await request.text();
    requests.push(seen);
    return new Response("done");
  },
});
afterAll(() => owner.stop(true));

const address = `http://127.0.0.1:${owner.port}`;
const options = { address, hop: "signed", timeoutMs: 2000, isStream: false };

async function send(path: string, init: RequestInit = {}, changed: Partial<ForwardOptions> = {}) {
  const { body = null, ...head } = init;
  const request = new Request(`https://team.example.org${path}`, head);
  const sent =
    typeof body === "string" ? new Uint8Array(Buffer.from(body)) : (body as ReadableStream<Uint8Array> | null);
  return forward({ request, body: sent }, { ...options, abort: new AbortController(), ...changed });
}

async function answer(path: string, init: RequestInit = {}): Promise<Response> {
  const outcome = await send(path, init);
  if (outcome.kind !== "answered") throw new Error(outcome.kind);
  return outcome.response;
}

test("method, path, query, host, credentials and body arrive; headers of the connection do not", async () => {
  const headers = {
    Host: "team.example.org",
    Authorization: "Bearer key",
    Cookie: "session=1",
    Connection: "close, X-Hop",
    "X-Hop": "1",
    "X-Quern-Hop": "forged",
    TE: "trailers",
  };
  const response = await answer("/api/a%20b?c=%2F&d", { method: "PATCH", headers, body: "{}" });
  expect([response.status, await response.text()]).toEqual([200, "done"]);
  const { method, url, body, headers: arrived } = requests.at(-1) ?? {};
  expect([method, url, body]).toEqual(["PATCH", "http://team.example.org/api/a%20b?c=%2F&d", "{}"]);
  expect(arrived).toMatchObject({ authorization: "Bearer key", cookie: "session=1", "x-quern-hop": "signed" });
  expect(Object.keys(arrived ?? {})).not.toContain("x-hop");
  expect(Object.keys(arrived ?? {})).not.toContain("te");
});

test("status, cookies and compressed bytes come back as they are", async () => {
  const response = await answer("/compressed");
  expect(response.status).toBe(404);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(response.headers.get("X-Private")).toBeNull();
  expect(Buffer.from(Bun.gunzipSync(await response.arrayBuffer())).toString()).toBe("x".repeat(1000));
});

test("redirects are for the client", async () => {
  const response = await answer("/redirect");
  expect([response.status, response.headers.get("Location")]).toEqual([302, "https://elsewhere.example/"]);
});

test("events pass as they are sent", async () => {
  const reader = (await answer("/events")).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
  released.resolve(undefined);
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("second");
});

test.each([false, true])("a stream is sent in full, also on a connection of its own (%p)", async (isStream) => {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let i = 0; i < 20; i++) {
        controller.enqueue(Buffer.alloc(100_000, "y"));
        await Bun.sleep(1);
      }
      controller.close();
    },
  });
  expect((await send("/", { method: "POST", body }, { isStream })).kind).toBe("answered");
  expect(requests.at(-1)?.body.length).toBe(2_000_000);
});

test("the refusal of a node that does not own the document differs from an answer", async () => {
  expect((await send("/misdirected", { method: "POST", body: "abc" })).kind).toBe("misdirected");
});

test("a node that cannot be reached did nothing; one that stops answering may have", async () => {
  expect((await send("/", {}, { address: "http://127.0.0.1:1" })).kind).toBe("unreachable");
  expect((await send("/slow", { method: "POST", body: "abc" }, { timeoutMs: 50 })).kind).toBe("unknown");
  // Accepts the request, then ends the connection.
  using broken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.end() } });
  expect((await send("/", { method: "POST", body: "abc" }, { address: `http://127.0.0.1:${broken.port}` })).kind).toBe(
    "unknown",
  );
});

test.each(["POST", "PATCH", "PUT", "DELETE"])(
  "a %s request is sent once when its connection is lost",
  async (method) => {
    let arrived = 0;
    using broken = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          arrived++;
          if (arrived === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
          else socket.end();
        },
      },
    });
    const body = method === "DELETE" ? null : "abc";
    const once = () => send("/", { method, body }, { address: `http://127.0.0.1:${broken.port}` });
    const first = await once();
    // The connection is kept alive, and used again.
    if (first.kind === "answered") await first.response.text();
    expect([first.kind, (await once()).kind, arrived]).toEqual(["answered", "unknown", 2]);
  },
);

test.each([false, true])(
  "300 responses that do not end leave connections for other requests (stream: %p)",
  async (isStream) => {
    const endless = await Promise.all(Array.from({ length: 300 }, () => send("/endless", {}, { isStream })));
    expect(endless.filter(({ kind }) => kind === "answered")).toHaveLength(300);
    expect((await send("/")).kind).toBe("answered");
    for (const outcome of endless) if (outcome.kind === "answered") await outcome.response.body?.cancel();
  },
);

test("the request is aborted on the other node when its client disconnects", async () => {
  const client = new AbortController();
  const sent = send("/watched", { method: "POST", body: "abc", signal: client.signal });
  await begun.promise;
  client.abort();
  expect((await sent).kind).toBe("unknown");
  await aborted.promise;
});
