/** The REST API as tools see it: in the same process at `/mcp`, over HTTP in `quern mcp`. */
import { hasDotSegment } from "../lib/network/dot-segments.ts";

/** A response of the API. */
export interface ApiAnswer {
  readonly status: number;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: unknown;
  /** The header `Retry-After` in seconds; null without it. */
  readonly retryAfterS: number | null;
}

/**
 * Sends a request with the caller's key.
 * @param path with the query, such as `/api/docs/…?dryrun=1`
 */
export type ApiCall = (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;

/** The key of the caller, as `GET /api/profile/key` describes it. */
export interface CallerKey {
  /** Null for all. */
  readonly scopes: readonly string[] | null;
  readonly isRestricted: boolean;
}

/** Code of the answer that a client makes up for a server that does not answer. */
export const UNREACHABLE = "server.unreachable";

/** A refusal of the API. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterS: number | null;

  constructor({ status, body, retryAfterS }: ApiAnswer) {
    const { error, details } = (typeof body === "object" && body !== null ? body : {}) as {
      error?: unknown;
      details?: Record<string, unknown>;
    };
    super(typeof error === "string" ? error : `The server answered with status ${status}`);
    this.status = status;
    const { code, ...others } = details ?? {};
    this.code = typeof code === "string" ? code : "server.unexpected";
    this.details = others;
    this.retryAfterS = retryAfterS;
  }
}

const DOT_ID: ApiAnswer = {
  status: 400,
  body: { error: "No id can be . or ..", details: { code: "arguments.invalid" } },
  retryAfterS: null,
};

/** The API of one request of a client. */
export class Api {
  readonly key: CallerKey;
  readonly #call: ApiCall;

  constructor(call: ApiCall, key: CallerKey) {
    this.#call = call;
    this.key = key;
  }

  /** Returns the body of a response. @throws ApiRefusal unless the status is 2xx, and for ids such as `..` */
  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    if (hasDotSegment(path)) throw new ApiRefusal(DOT_ID);
    const answer = await this.#call(method, path, body);
    if (answer.status < 200 || answer.status > 299) throw new ApiRefusal(answer);
    return answer.body as T;
  }

  get<T>(path: string): Promise<T> {
    return this.send<T>("GET", path);
  }
}

/** Describes the caller's key. @throws ApiRefusal for an invalid key, and for callers without one */
export const describeCallerKey = (call: ApiCall): Promise<CallerKey> =>
  new Api(call, { scopes: null, isRestricted: false }).get<CallerKey>("/api/profile/key");

/** Parses the body of a response. */
export function parseAnswerBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the query `?a=1&b=x`, without parameters that are undefined; empty for none. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}
