/** A reverse proxy that sends every request to another node than the one before. */
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";

export interface AlternatingProxy extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  readonly address: string;
}

/** Requests and responses pass unchanged, with the name of the host that clients use. */
export async function startAlternatingProxy(addresses: readonly string[]): Promise<AlternatingProxy> {
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    forward(addresses[requests++ % addresses.length] ?? "", incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const found = server.address();
  if (found === null || typeof found === "string") throw new Error("the proxy has no port");
  return {
    address: `http://127.0.0.1:${found.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(address: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url = "/" } = incoming;
  const { hostname, port } = new URL(address);
  const forwarded = send({ hostname, port, method, path: url, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing);
    response.on("error", () => outgoing.destroy());
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}
