/** Answers to requests with an `Idempotency-Key`, as they are kept. */

/** Identifies a request that is applied at most once. */
export interface RequestKey {
  /** Hash of the caller, method, site, path, query and key. */
  readonly scope: string;
  readonly bodyHash: string;
}

/**
 * `json` and `text`: the whole body of the answer. `ids`: JSON with the ids of an answer that is too large. `result`: JSON
 * from which the route creates its answer. `refusal`: an error, as `serializeError` returns it.
 */
export type AnswerForm = "json" | "text" | "ids" | "result" | "refusal";

export interface KeptAnswer {
  readonly form: AnswerForm;
  /** The status of the answer; 0 for `result` and `refusal`, which imply it. */
  readonly status: number;
  readonly content: string;
  /** The verb of the document that made the change; null when the route has kept the answer itself. */
  readonly verb: string | null;
}

export interface StoredAnswer extends KeptAnswer {
  readonly bodyHash: string;
}

/** Answers above this size are kept as status and ids. */
export const MAX_WHOLE_BYTES = 65_536;
/** Lists of ids above this size are left out. */
const MAX_ID_BYTES = 1_048_576;

/** Returns the JSON that is kept in place of a large JSON answer: the ids of rows in it, as far as there are any. */
export function partialAnswer(json: string): string {
  const ids = idsOf(JSON.parse(json));
  const partial = JSON.stringify({ partial: true, ids });
  return Buffer.byteLength(partial) <= MAX_ID_BYTES ? partial : JSON.stringify({ partial: true, ids: null });
}

/** Returns the ids in an answer; for a batch, a list for each operation. */
function idsOf(answer: unknown): unknown {
  if (isIds(answer)) return answer;
  if (typeof answer !== "object" || answer === null) return null;
  const { records, recordIds, ids, results } = answer as Record<string, unknown>;
  if (Array.isArray(records)) return records.map((record: { id?: unknown } | null) => record?.id ?? null);
  if (Array.isArray(recordIds)) return recordIds.flat();
  if (isIds(ids)) return ids;
  return Array.isArray(results) ? results.map(idsOf) : null;
}

const isIds = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((id) => id === null || typeof id === "number");
