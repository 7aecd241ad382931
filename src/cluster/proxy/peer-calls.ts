import { createHash, randomUUID } from "node:crypto";
import { AppError } from "../../errors.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { MISDIRECTED_STATUS } from "./forward.ts";
import type { Forwarder } from "./forwarder.ts";
import { HOP_HEADER } from "./hop.ts";
import { nodeUnreachable } from "./refusals.ts";
import { sendToPeer } from "./transport.ts";

/** A node that can be called. */
export interface Peer {
  readonly node: string;
  readonly address: string | null;
}

/** Handles a call of another node; the result is its response, as JSON. */
export type PeerHandler = (body: unknown) => Promise<unknown>;

/** The path of calls between nodes; unknown to clients. */
export const PEER_PATH = "/cluster/";

const PEER_DEADLINE_MS = 10_000;

/** Calls between nodes: `POST /cluster/<name>` with a JSON body, which the hop signs. */
export class PeerCalls {
  readonly #handlers = new Map<string, PeerHandler>();
  readonly #sign: Forwarder["sign"];

  /** @param sign signs hops */
  constructor(sign: Forwarder["sign"]) {
    this.#sign = sign;
  }

  /** Registers the handler of calls of a name. Errors get to the caller as their code and message. */
  handle(name: string, handler: PeerHandler): void {
    this.#handlers.set(name, handler);
  }

  handler(name: string): PeerHandler | null {
    return this.#handlers.get(name) ?? null;
  }

  /**
   * Calls a handler of another node and returns its result.
   * @throws AppError `cluster.unreachable` when nothing was done; any error when that is not known, or the call failed
   */
  async call(
    { node, address }: Peer,
    name: string,
    content: unknown,
    { deadlineMs = PEER_DEADLINE_MS }: { deadlineMs?: number } = {},
  ): Promise<unknown> {
    if (address === null) throw nodeUnreachable();
    const method = "POST";
    const path = PEER_PATH + name;
    const body = Buffer.from(JSON.stringify(content));
    const nobody = { address: "", origin: "", host: null, proxyUser: null };
    const requestId = randomUUID();
    const hop = this.#sign({ ...nobody, requestId, method, path, to: node, doc: null, bodyHash: hashOfBody(body) });
    const headers = new Headers({ "Content-Type": "application/json", [HOP_HEADER]: hop });
    const timeout = new AbortController();
    const cancel = systemTimers.after(deadlineMs, () => timeout.abort());
    try {
      const { signal } = timeout;
      const response = await sendToPeer(address + path, { method, headers, body, signal, isStream: false });
      if (response.status === MISDIRECTED_STATUS || response.headers.has(HOP_HEADER)) throw nodeUnreachable();
      const answer = (await response.json()) as { error?: string };
      if (!response.ok)
        throw new AppError("unavailable", answer.error ?? `Status ${response.status}`, { retryAfterS: 1 });
      return answer;
    } finally {
      cancel();
    }
  }
}

/** Returns the hash of a body, as hops contain it. */
export const hashOfBody = (body: Uint8Array): string => createHash("sha256").update(body).digest("base64url");
