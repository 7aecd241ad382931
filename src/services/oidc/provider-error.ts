/**
 * `unavailable`: the provider could not be reached, or its discovery document is not usable. `refused`: it refused the
 * code or the client. `clock`: a token is expired or not yet valid. `invalid`: anything else that it answered.
 */
export type ProviderErrorKind = "unavailable" | "refused" | "clock" | "invalid";

/** A failure of the protocol with a provider. `reason` and `details` are for the log. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  readonly reason: string;
  readonly details: string | undefined;

  constructor(kind: ProviderErrorKind, reason: string, details?: string) {
    super(details === undefined ? reason : `${reason}: ${details}`);
    this.name = "ProviderError";
    this.kind = kind;
    this.reason = reason;
    this.details = details;
  }
}

/** Codes of the library's errors. */
const KIND_BY_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  OAUTH_TIMEOUT: "unavailable",
  OAUTH_ABORT: "unavailable",
  OAUTH_RESPONSE_BODY_ERROR: "refused",
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: "refused",
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: "clock",
};

const MAX_DETAILS_LENGTH = 300;

/**
 * Translates an error of the library, of `fetch` or of the network.
 * @param step `discovery`: whatever goes wrong, the provider cannot be used
 */
export function providerErrorOf(error: unknown, step?: "discovery"): ProviderError {
  if (error instanceof ProviderError) return error;
  const { code, message, cause } = error as Error & { code?: unknown };
  const inner = causeOf(cause);
  if (inner instanceof ProviderError) return inner;
  const reason = typeof code === "string" ? code.toLowerCase() : "request_failed";
  const texts = [message, ...textsOf(error), inner instanceof Error ? inner.message : undefined];
  const details = [...new Set(texts.filter((text) => text))].join("; ").slice(0, MAX_DETAILS_LENGTH);
  const known = typeof code === "string" ? KIND_BY_CODE[code] : undefined;
  const isProtocol = typeof code === "string" && code.startsWith("OAUTH_");
  // Errors of the network have other codes, or none.
  const kind = step === "discovery" ? "unavailable" : (known ?? (isProtocol ? "invalid" : "unavailable"));
  return new ProviderError(kind, reason, details);
}

const causeOf = (cause: unknown): unknown =>
  cause instanceof Error && !(cause instanceof ProviderError) && cause.cause instanceof Error ? cause.cause : cause;

/** What the provider says about a refusal: `invalid_grant`. */
function textsOf(error: unknown): string[] {
  const { error: name, error_description: text } = error as { error?: unknown; error_description?: unknown };
  return [name, text].filter((part) => typeof part === "string");
}
