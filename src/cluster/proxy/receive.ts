import { incrementCounter } from "../../lib/observability/measurements.ts";
import { pathOf } from "./forward.ts";
import { type Hop, HOP_HEADER, verifyHop } from "./hop.ts";
import { ReplayWindow } from "./replay-window.ts";

export interface HopReceiverOptions {
  /** Verifies hops; null while this node does not know it. */
  readonly secret: () => Uint8Array | null;
  readonly nodeId: () => string | null;
}

/** Verifies the hops of requests that other nodes have sent. */
export class HopReceiver {
  readonly #options: HopReceiverOptions;
  readonly #window = new ReplayWindow();

  constructor(options: HopReceiverOptions) {
    this.#options = options;
  }

  /**
   * Returns the hop of a request; null without one. `invalid`: not signed by a node for this request, too old, or received
   * before. `misdirected`: for another node, such as the one that had this address before.
   */
  receive(request: Request): Hop | "invalid" | "misdirected" | null {
    const header = request.headers.get(HOP_HEADER);
    if (header === null) return null;
    const secret = this.#options.secret();
    if (secret === null) return "invalid";
    const nowMs = Date.now();
    const hop = verifyHop(secret, { header, method: request.method, path: pathOf(request.url), nowMs });
    if (!hop) return "invalid";
    if (hop.to !== this.#options.nodeId()) return "misdirected";
    if (!this.#window.accept(hop, nowMs)) return "invalid";
    if (hop.doc !== null) incrementCounter("requestsProxiedIn");
    return hop;
  }
}
