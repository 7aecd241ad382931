/** The nodes of an installation, as far as requests are concerned. */
import type { AppError } from "../errors.ts";

/**
 * Which node of a cluster answers a request:
 * - `document`: the owner of the document whose content it reads or changes
 * - `home`: the owner of the home database, because it changes that, or needs state that only that node has
 * - `anywhere`: any node, from its replica of the home database
 * - `node`: the node that it was sent to, because it is about that node
 */
export type RequestClass = "document" | "home" | "anywhere" | "node";

/** The name of the home database among the documents that nodes own. */
export const HOME_DOCUMENT = "home";

/** A request as the node that received it from the client understood it. */
export interface ClientRequest {
  readonly requestId: string;
  /** The address of the client, after trusted proxies. */
  readonly address: string;
  /** Scheme and host of the request, after trusted proxies. */
  readonly origin: string;
  /** The host of the request; null when it has none, or an invalid one. */
  readonly host: string | null;
  /** The email address that a trusted reverse proxy sent. */
  readonly proxyUser: string | null;
}

/** What another node says about a request that it has forwarded. */
export interface ReceivedHop extends ClientRequest {
  /** The document for which this node is expected to be the owner; `HOME_DOCUMENT`, or null for requests between nodes. */
  readonly doc: string | null;
  /** The home database that decided about the request is at least this new. */
  readonly homeSeq: number;
  /** SHA-256 of the body of requests between nodes; null for requests of clients, whose body is not part of the hop. */
  readonly bodyHash: string | null;
}

/** A request that may be forwarded. */
export interface Forwardable extends ClientRequest {
  readonly request: Request;
  /**
   * Returns the body: bytes that can be sent several times, a stream that can be sent once, or null for none. Called at
   * most once, and only when the request is forwarded.
   */
  readonly readBody: () => Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null>;
  /** How long the other node may take to begin its response, in milliseconds. */
  readonly timeoutMs: number;
  /** True for responses that may last for hours. */
  readonly isStream: boolean;
}

/** The answer of another node. */
export interface ForwardedResponse {
  readonly response: Response;
  /** The node that gave it. */
  readonly node: string;
}

export interface Cluster {
  /**
   * Brings the home database of this node up to date, or up to a commit.
   * @throws AppError `log.unavailable`
   */
  freshHome(minSeq?: number): Promise<void>;
  /** Why nothing may run that must not use an old home database; null if it is current. */
  staleHomeRefusal(): AppError | null;
  /**
   * Has the owner of a document answer, or that of the home database; null when this node has to, because it is the owner
   * or there is none.
   * @throws AppError when the owner cannot be reached, or the outcome of the request is unknown
   */
  forward(doc: string, request: Forwardable): Promise<ForwardedResponse | null>;
  /**
   * Counts a request that this node answers for a document that it owns, until the returned function is called: the document
   * moves to another node between requests. Null when this node does not own it yet.
   */
  use(doc: string): (() => void) | null;
  /** True when this node may answer for a document that another node believes to be here. */
  answersFor(doc: string): Promise<boolean>;
  /**
   * Returns what another node says about a request; null for a request of a client. `invalid` for a forged, expired or
   * repeated hop, `misdirected` for one that is for another node.
   */
  receive(request: Request): ReceivedHop | "invalid" | "misdirected" | null;
  /**
   * Answers a call of another node; null for an unknown name.
   * @throws AppError
   */
  answerCall(name: string, body: Uint8Array, hop: ReceivedHop): Promise<unknown> | null;
}
