import { describe, expect, test } from "bun:test";
import { jsonBytesResponse, jsonResponse } from "../../src/http/responses.ts";

/** Returns the head and the body of a response that is created later than its request, as they are on the wire. */
async function onTheWire(create: () => Response, version = "1.1"): Promise<{ head: string; body: string }> {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch() {
      await new Promise(setImmediate);
      return create();
    },
  });
  const received: Buffer[] = [];
  const closed = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port ?? 0,
    socket: {
      open: (socket) => void socket.write(`GET / HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      data: (_, bytes) => void received.push(Buffer.from(bytes)),
      close: () => closed.resolve(),
    },
  });
  await closed.promise;
  await server.stop(true);
  const [head = "", ...rest] = Buffer.concat(received).toString().split("\r\n\r\n");
  return { head, body: rest.join("\r\n\r\n") };
}

describe("JSON responses", () => {
  const ofLength = (length: number) => "a".repeat(length - 2);

  test("of less than 15 KB have a Content-Length", async () => {
    const { head, body } = await onTheWire(() => jsonResponse(ofLength(3000)));
    expect(head).toContain("Content-Length: 3000");
    expect(body).toBe(JSON.stringify(ofLength(3000)));
  });

  test.each([
    ["text", (json: string) => jsonResponse(JSON.parse(json))],
    ["bytes", (json: string) => jsonBytesResponse(Buffer.from(json))],
  ])("of 15 KB and more are one chunk after the head, made from %s", async (_, create) => {
    const json = JSON.stringify(ofLength(20_000));
    const { head, body } = await onTheWire(() => create(json));
    expect(head).toContain("Transfer-Encoding: chunked");
    expect(body).toBe(`${(20_000).toString(16)}\r\n${json}\r\n0\r\n\r\n`);
  });

  test("are not in chunks for HTTP/1.0, which does not know them", async () => {
    const json = JSON.stringify(ofLength(20_000));
    const { head, body } = await onTheWire(() => jsonBytesResponse(Buffer.from(json)), "1.0");
    expect(head).not.toContain("Transfer-Encoding");
    expect(body).toBe(json);
  });
});
