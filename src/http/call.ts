import type { Actor } from "../access.ts";
import type { Config } from "../config.ts";
import type { BodyRoom } from "./body-room.ts";
import type { Expiries } from "../lib/expiries.ts";
import type { Gate } from "../lib/gate.ts";
import type { Context } from "../services/context.ts";
import type { SiteScope } from "../services/guards.ts";
import type { OpenStreams } from "./event-stream.ts";

/** One request on its way: what the server found out before any route sees it, and what routes add for the log. */
export interface Call {
  readonly request: Request;
  readonly requestId: string;
  /** The address the connection comes from. */
  readonly peer: string;
  /** The client's address, as far as trusted proxies tell. */
  readonly address: string;
  /** The e-mail address that a trusted reverse proxy vouches for. */
  readonly proxyUser: string | null;
  /** Path without `/o/<domain>`, fixed segments in lower case, no trailing slash. */
  readonly path: string;
  /** The query without `?`; empty when there is none. */
  readonly search: string;
  /** Which site the address speaks of. */
  readonly scope: SiteScope;
  /** Address that people reach the server by, without a trailing slash. */
  readonly origin: string;
  readonly ctx: Context;
  readonly config: Config;
  /** Requests under way for each document. */
  readonly gate: Gate;
  readonly bodyRoom: BodyRoom;
  /** For limits in time. */
  readonly expiries: Expiries;
  /** Answers that go on for as long as somebody listens. */
  readonly streams: OpenStreams;
  actor: Actor;
  /** True for an answer that goes on for as long as somebody listens: silence is no reason to end it. */
  isStream?: boolean;
  /** Whom the request is counted for. */
  caller?: string;
  /** How much of the room for bodies the request takes. */
  bodyBytes: number;
  /** Path template of the route, for the log. */
  template?: string;
  /** UUID of the document asked for, for the log. */
  document?: string;
  /** Gives the request, from now on, the time of work that is known to be long. */
  takeTime(): void;
}
