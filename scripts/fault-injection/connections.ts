/** Opens thousands of mostly idle connections. */
import { connect, type Socket } from "bun";

export interface Connections extends Disposable {
  readonly opened: number;
  /** Number of connections that the server closed. */
  readonly closed: number;
  /** Number of responses by their first line. */
  readonly answers: ReadonlyMap<string, number>;
  /** Sends data on each open connection. */
  send(data: string | Uint8Array): void;
  close(): void;
}

export interface ConnectionOptions {
  /** Data to send on each connection at first. */
  readonly first?: string;
  /** Never reads responses. */
  readonly ignoresResponses?: boolean;
}

/** Opens this number of connections. */
export async function openConnections(
  address: string,
  count: number,
  { first = "", ignoresResponses = false }: ConnectionOptions = {},
): Promise<Connections> {
  const { hostname, port } = new URL(address);
  const open = new Set<Socket>();
  const answers = new Map<string, number>();
  let closed = 0;
  let opened = 0;
  const socket = {
    data(_socket: Socket, bytes: Buffer) {
      const line = bytes.toString("latin1", 0, 12);
      if (line.startsWith("HTTP/")) answers.set(line, (answers.get(line) ?? 0) + 1);
    },
    close(one: Socket) {
      if (open.delete(one)) closed++;
    },
    error() {},
  };
  const one = async () => {
    const connection = await connect({ hostname, port: Number(port), socket }).catch(() => null);
    if (!connection) return;
    opened++;
    open.add(connection);
    if (ignoresResponses) connection.pause();
    if (first !== "") connection.write(first);
  };
  for (let at = 0; at < count; at += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - at) }, one));
  }
  return {
    get opened() {
      return opened;
    },
    get closed() {
      return closed;
    },
    answers,
    send(data) {
      for (const one of open) one.write(data);
    },
    close() {
      for (const one of open) one.end();
    },
    [Symbol.dispose]() {
      for (const one of open) one.terminate();
      open.clear();
    },
  };
}
