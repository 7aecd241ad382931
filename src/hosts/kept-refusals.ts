import { AppError } from "../errors.ts";
import { type KeptAnswer, MAX_WHOLE_BYTES, type RequestKey, type StoredAnswer } from "../lib/kept-answers.ts";
import { deserializeError, type SerializedError } from "./threads/serialized-error.ts";

const KEPT_KINDS: ReadonlySet<string> = new Set(["invalid", "notFound", "conflict", "unprocessable"]);

const NOT_KEPT = /^form\.|^idempotency\.|^undo\.|\.(time_limit|timeout|incomplete)$/;

/** True for refusals that a repeated request would get again; what takes too long may succeed later. */
export const isKeptRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && KEPT_KINDS.has(error.code) && !NOT_KEPT.test(error.reason);

/** Returns a refusal as it is kept. */
export function keptRefusal(verb: string | null, { reason, message, details }: AppError): KeptAnswer {
  const content = JSON.stringify({ reason, message, details });
  const isLarge = Buffer.byteLength(content) > MAX_WHOLE_BYTES;
  return { form: "refusal", status: 0, content: isLarge ? JSON.stringify({ reason, message }) : content, verb };
}

/** Returns the error of a kept refusal. */
export const refusalOf = ({ content }: KeptAnswer): Error => deserializeError(JSON.parse(content) as SerializedError);

/** Returns the answer to an earlier request with the same key. @throws AppError `idempotency.body_differs` */
export function matchingAnswer(stored: StoredAnswer, { bodyHash }: RequestKey): StoredAnswer {
  if (stored.bodyHash === bodyHash) return stored;
  throw new AppError("idempotency.body_differs", "The Idempotency-Key was used with another body");
}
