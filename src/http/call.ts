import type { Actor } from "../authorization.ts";
import type { Config } from "../config.ts";
import type { TimeoutScheduler } from "../lib/time/timeouts.ts";
import type { KeyedConcurrencyLimiter } from "../lib/concurrency/keyed-concurrency-limiter.ts";
import type { ReceivedHop } from "../services/cluster.ts";
import type { Context } from "../services/context.ts";
import type { SiteScope } from "../services/access/guards.ts";
import type { TableUse } from "../services/access/key-limits.ts";
import type { BodyMemoryBudget } from "./body-memory-budget.ts";
import type { PendingKeys } from "./idempotency/pending-keys.ts";
import type { OpenStreamCounter } from "./event-stream.ts";

/** A request in progress: its properties, the services that handlers use, and its accounting. */
export interface Call extends RequestFacts {
  /** Anonymous until the step `authenticate`. */
  actor: Actor;
  readonly ctx: Context;
  readonly config: Config;
  readonly services: RequestServices;
  readonly accounting: RequestAccounting;
}

/** The properties of a request, resolved before any route handles it. */
export interface RequestFacts {
  /** Replaced when its body had to be read before it was clear that this node answers. */
  request: Request;
  readonly requestId: string;
  /** The address of the TCP connection. */
  readonly peer: string;
  /** The client's address, as far as trusted proxies report it. */
  readonly address: string;
  /** The email address that a trusted reverse proxy sends. */
  readonly proxyUser: string | null;
  /** Path without `/o/<domain>`, fixed segments in lower case, no trailing slash. */
  readonly path: string;
  /** The query without `?`; empty when there is none. */
  readonly search: string;
  /** The site that the request names. */
  readonly scope: SiteScope;
  /** The public address of the server, without a trailing slash. */
  readonly origin: string;
  /** The host of the request; null when it is missing or invalid. */
  readonly host: string | null;
  /** What the node of the cluster that forwarded this request says about it; null for requests of clients. */
  readonly hop: ReceivedHop | "invalid" | "misdirected" | null;
}

/** Limiters and timers that all requests of a server share. */
export interface RequestServices {
  /** Limits the requests in flight for each document. */
  readonly documentLimiter: KeyedConcurrencyLimiter;
  /** Limits the memory of request bodies. */
  readonly bodyMemory: BodyMemoryBudget;
  /** Requests with an `Idempotency-Key` in progress. */
  readonly pendingKeys: PendingKeys;
  /** Timeouts. */
  readonly timeouts: TimeoutScheduler;
  /** Counts responses that continue until the client disconnects. */
  readonly streams: OpenStreamCounter;
}

/** Collected for limits, the log and metrics. */
export interface RequestAccounting {
  /** True for a response that continues until the client disconnects: the connection may stay idle. */
  isStream?: boolean;
  /** The user or network address that the limits apply to. */
  caller?: string;
  /** Bytes acquired from the memory budget for bodies. */
  bufferedBodyBytes: number;
  /** The node of the cluster that answered. */
  forwardedTo?: string;
  /** Call it when the request no longer uses the document that it is about; absent without a cluster. */
  endUse?: () => void;
  /** True when the answer is that of an earlier request with the same `Idempotency-Key`. */
  isReplay?: boolean;
  /** What callers may use whose API key is limited to tables of a document; see `keys/route-scopes.ts`. */
  tableUse?: TableUse;
  /** Path template of the route. */
  template?: string;
  /** UUID of the requested document. */
  document?: string;
  /** Extends the deadline of the request to that of long work, such as imports. */
  extendDeadline(): void;
}
