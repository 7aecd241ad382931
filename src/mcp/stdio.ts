/** The protocol over stdin and stdout, for programs that start their servers as processes. */
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { ApiCall } from "./api.ts";
import { createMcpServer } from "./server.ts";

export interface StdioOptions {
  /** Sends requests to a server. */
  readonly call: ApiCall;
  readonly report: (error: unknown) => void;
}

export interface StdioServer {
  /** Settles when the client has closed its end. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client. Messages are on stdout, so nothing else may be written there. */
export function serveOverStdio(options: StdioOptions): StdioServer {
  const closed = Promise.withResolvers<void>();
  const transport = new ClosingTransport(closed.resolve);
  const served = serveStdio(() => createMcpServer(options), {
    transport,
    maxSubscriptions: 0,
    onerror: options.report,
  });
  return { closed: closed.promise, close: () => served.close() };
}

/** Calls `closed` when the client has closed stdin, or the server the transport. */
class ClosingTransport extends StdioServerTransport {
  readonly #closed: () => void;

  constructor(closed: () => void) {
    super();
    this.#closed = closed;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#closed();
  }
}
