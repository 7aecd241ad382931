/** Calls the API for the signed-in user, and classifies failures. */

import { errorText, plainErrorText, type LocalizedError } from "../error-text.ts";
import { englishElement, type Child } from "./dom.ts";
import { t } from "./texts.ts";

/**
 * Why a call failed: the API refused it, the session ended, the server or the network is unavailable, or the caller
 * cancelled it.
 */
export type ApiErrorKind = "refused" | "session" | "away" | "stopped";

/** The path prefix of the page's site, used for its calls too: `/o/team`, or empty. */
export const SITE_PREFIX = /^\/o\/[^/]+/i.exec(location.pathname)?.[0] ?? "";

/** The error that every call throws; `message` is a sentence for users. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  /** 0 when there was no response. */
  readonly status: number;
  /** `details` of the API's error, such as the cell that a change was refused for. */
  readonly details: Readonly<Record<string, unknown>>;
  /** When to retry, if the server says so. */
  readonly retryAfterS: number | null;
  /** The message by language. */
  readonly parts: LocalizedError;

  constructor(
    kind: ApiErrorKind,
    message: string | LocalizedError,
    answer: Partial<Pick<ApiError, "status" | "details" | "retryAfterS">>,
  ) {
    const parts = typeof message === "string" ? { text: message, sentence: null } : message;
    super(plainErrorText(parts));
    this.kind = kind;
    this.parts = parts;
    this.status = answer.status ?? 0;
    this.details = answer.details ?? {};
    this.retryAfterS = answer.retryAfterS ?? null;
  }
}

export interface CallOptions {
  /** GET by default. */
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Sent as JSON; a form or a file unchanged. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request outlives the page. */
  readonly keepalive?: boolean;
  /** For a page instead of the API: the path is used unchanged. */
  readonly isPage?: boolean;
}

/**
 * Sends a request and returns its JSON, typed as the wire type.
 * @param path `/api/…`; variable parts need `encodeURIComponent`
 * @throws Failure
 */
export async function api<T>(path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(path, options);
  const text = await response.text().catch((error: unknown) => {
    throw connectionError(error, options.signal);
  });
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Maximum number of retries when the server is busy, and the longest Retry-After that is honoured. */
const MAX_ATTEMPTS = 4;
const MAX_RETRY_AFTER_S = 5;

/**
 * Like `api`, with retries while the server is busy, for background reads; some of them are POST requests.
 * @throws Failure
 */
export async function apiWithRetry<T>(path: string, options: CallOptions = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api<T>(path, options);
    } catch (error) {
      const waitS = error instanceof ApiError ? error.retryAfterS : null;
      if (waitS === null || waitS > MAX_RETRY_AFTER_S || attempt === MAX_ATTEMPTS) throw error;
      // Jitter, so that clients do not retry simultaneously.
      await sleep(waitS * 1000 * (0.5 + Math.random()));
    }
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends a request and returns the response for the caller to read: a file, a stream.
 * @throws Failure
 */
export async function send(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = "GET", body, headers = {}, signal, keepalive = false } = options;
  const isRaw = body instanceof FormData || body instanceof Blob;
  const init: RequestInit = { method, credentials: "same-origin", signal: signal ?? null, keepalive };
  if (body !== undefined) init.body = isRaw ? body : JSON.stringify(body);
  const type = body !== undefined && !isRaw ? { "Content-Type": "application/json" } : {};
  init.headers = { Accept: "application/json", "X-Requested-With": "XMLHttpRequest", ...type, ...headers };
  let response: Response;
  try {
    response = await fetch(`${options.isPage ? "" : SITE_PREFIX}${path}${queryString(options)}`, init);
  } catch (error) {
    throw connectionError(error, signal);
  }
  // The sign-in page arrives as the result of a redirect.
  if (options.isPage && response.redirected) throw new ApiError("session", t("problem.sessionEnded"), { status: 401 });
  if (!response.ok) throw await responseError(response.status, response.headers, await response.text().catch(() => ""));
  return response;
}

function queryString({ query = {} }: CallOptions): string {
  const defined = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(defined.map(([name, value]) => [name, String(value)])).toString();
  return search && `?${search}`;
}

/** The failure of a call without a response. */
export function connectionError(error: unknown, signal?: AbortSignal | null): ApiError {
  if (signal?.aborted || (error instanceof DOMException && error.name === "AbortError")) {
    return new ApiError("stopped", t("problem.cancelled"), {});
  }
  return new ApiError("away", t("problem.unreachable"), {});
}

/** The failure of a refused call: the API's sentence, or that the session has ended when that is the reason. */
export async function responseError(status: number, headers: Headers, text: string): Promise<ApiError> {
  if ((status === 401 || status === 403) && (await isSessionExpired()))
    return new ApiError("session", t("problem.sessionEnded"), { status });
  const { error, details } = parseErrorBody(text);
  // Responses that are not JSON come from an intermediary, such as a reverse proxy whose server is down.
  if (error === undefined && status >= 500) return new ApiError("away", t("problem.unreachable"), { status });
  // The details then name the field.
  const field = typeof details?.["userError"] === "string" ? details["userError"].replace(/^Error: /, "") : error;
  const code = typeof details?.["code"] === "string" ? details["code"] : "";
  const message =
    error === undefined
      ? t("problem.refused", { status: String(status) })
      : errorText(t, { code, sentence: field ?? error, details });
  const retryAfterS = Number(headers.get("retry-after") ?? Number.NaN);
  return new ApiError("refused", message, {
    status,
    ...(details && { details }),
    ...(Number.isFinite(retryAfterS) && { retryAfterS }),
  });
}

function parseErrorBody(text: string): { error?: string; details?: Record<string, unknown> } {
  try {
    const value = JSON.parse(text) as { error?: unknown; details?: unknown } | null;
    return {
      ...(typeof value?.error === "string" && { error: value.error }),
      ...(typeof value?.details === "object" && value.details && { details: value.details as Record<string, unknown> }),
    };
  } catch {
    return {};
  }
}

/** True when the page was rendered for a user whose session the server no longer knows. */
async function isSessionExpired(): Promise<boolean> {
  const userId = document.documentElement.dataset["user"];
  if (userId === undefined) return false;
  try {
    const response = await fetch(`${SITE_PREFIX}/api/session/access/active`);
    const { user } = (await response.json()) as { user: { id: number } };
    return String(user.id) !== userId;
  } catch {
    return false;
  }
}

/** Formats any error as a sentence for users. */
export const errorMessage = (error: unknown): string =>
  error instanceof ApiError ? error.message : t("problem.script");

/** Like `errorMessage`, with a sentence of the API marked as English on pages in other languages. */
export function errorContent(error: unknown): Child[] {
  const { text, sentence } = error instanceof ApiError ? error.parts : { text: errorMessage(error), sentence: null };
  if (text === null || sentence === null) return [text, sentence];
  return [text, " ", englishElement(sentence)];
}

export const isAborted = (error: unknown): boolean => error instanceof ApiError && error.kind === "stopped";
