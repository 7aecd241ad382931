import { errorOf, QuernError } from "./errors.ts";

export interface ClientOptions {
  /** The address of the server, with `/o/DOMAIN` for a team site that has no address of its own. */
  readonly url: string;
  /**
   * An API key or token, or a function that returns the current one, for tokens that expire: called before each request.
   * Without a key, requests are those of the signed-in user in pages of the server, else anonymous.
   */
  readonly key?: string | (() => string | Promise<string>) | undefined;
  /** How often a request is repeated that can safely be: reads, and writes with an `Idempotency-Key`. Default: 4. */
  readonly retries?: number;
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends requests in place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface RequestOptions {
  /** Ends the request; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteRequestOptions extends RequestOptions {
  /** The `Idempotency-Key` of the request; by default a random one, and none for clients without a key. False: none. */
  readonly idempotencyKey?: string | false | undefined;
}

type QueryValue = string | number | boolean | undefined;

export interface RequestSpec extends WriteRequestOptions {
  /** In place of the client's. */
  readonly retries?: number | undefined;
  /** Values that are undefined or false are left out. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the bytes of a body in another way than `fetch`, which reports no progress. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Statuses after which the same request may succeed: too many requests, or a server or proxy that is busy or away. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 15_000;

/** Sends requests, and repeats reads and keyed writes. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #base: string;

  constructor(options: ClientOptions) {
    // JavaScript callers pass a missing environment variable. An empty address is that of the page.
    if (typeof options.url !== "string") throw new TypeError("url must be the address of a server");
    this.#options = options;
    this.#base = `${options.url.replace(/\/+$/, "")}/api/`;
  }

  /** Sends a request and returns the parsed answer. @throws QuernError */
  async json<T>(method: string, path: string, spec: RequestSpec = {}, send?: Send): Promise<T> {
    const response = await this.request(method, path, spec, send);
    const text = await response.text();
    try {
      return (text === "" ? null : JSON.parse(text)) as T;
    } catch (cause) {
      throw new QuernError("The answer is not JSON", { status: response.status, cause });
    }
  }

  /** Sends a request and returns the response, which has a status of 2xx. @throws QuernError */
  async request(method: string, path: string, spec: RequestSpec = {}, send?: Send): Promise<Response> {
    const { key, fetch: ownFetch } = this.#options;
    const retries = spec.retries ?? this.#options.retries ?? 4;
    const idempotencyKey = method === "GET" ? undefined : this.#keyOf(spec);
    const headers: Record<string, string> = {
      ...this.#options.headers,
      ...(spec.json !== undefined && { "Content-Type": "application/json" }),
      ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
    };
    const body = spec.json === undefined ? spec.body : JSON.stringify(spec.json);
    const { signal } = spec;
    const init = { method, ...(body !== undefined && { body }), ...(signal && { signal }) };
    const isRepeatable = method === "GET" || idempotencyKey !== undefined;
    const transmit = send ?? ownFetch ?? ((url, given) => fetch(url, given));
    // URLs resolve these, even encoded: the request would reach another path.
    if (/(^|\/)\.{1,2}(\/|$)/.test(path)) throw new RangeError("An id cannot be . or ..");
    const address = this.#base + path + queryOf(spec.query);
    const attemptRequest = async () => {
      const token = typeof key === "function" ? await key() : key;
      const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      return transmit(address, { ...init, headers: { ...headers, ...authorization, ...spec.headers } });
    };
    for (let attempt = 0; ; attempt++) {
      const outcome = await attemptOnce(attemptRequest, signal);
      if (!(outcome instanceof QuernError)) return outcome;
      if (!isRepeatable || attempt >= retries || !mayRetry(outcome)) throw outcome;
      // At least as long as the server demands.
      await delay(Math.max(backoffMs(attempt), (outcome.retryAfterS ?? 0) * 1000), signal);
    }
  }

  #keyOf({ idempotencyKey }: WriteRequestOptions): string | undefined {
    if (idempotencyKey === false) return undefined;
    return idempotencyKey ?? (this.#options.key === undefined ? undefined : randomKey());
  }
}

/** Returns the response, or the error that may be worth a retry. */
async function attemptOnce(send: () => Promise<Response>, signal: AbortSignal | undefined) {
  try {
    const response = await send();
    if (response.ok) return response;
    return errorOf(response.status, await response.text(), (name) => response.headers.get(name));
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    return new QuernError("The server cannot be reached", { status: 0, cause });
  }
}

/** The first request with the same key is still in progress for `idempotency.in_progress`. */
const mayRetry = ({ status, code }: QuernError): boolean =>
  status === 0 || RETRIED_STATUSES.has(status) || code === "idempotency.in_progress";

/** Exponential backoff with jitter, so that clients do not return all at once. */
export const backoffMs = (attempt: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + Math.random() / 2);

/** @throws the signal's reason, when it ends the wait */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/** Not `randomUUID`, which pages without TLS do not have. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function queryOf(query: RequestSpec["query"] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false) parameters.append(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
