import type { KeptAnswer, RequestKey } from "../lib/kept-answers.ts";
import { KeptAnswers } from "../sqlite/kept-answers.ts";
import type { OpenDocument } from "./document.ts";
import { hasTable } from "./migrations/stored-tables.ts";

/**
 * The answers to requests with an `Idempotency-Key` that changed a document, in an internal table of the document: left out
 * of downloads and copies.
 */

const KEYS_TABLE = "_quern_idempotency";

/** Returns the kept answers of a document; null if it never had any. */
export const findKeptAnswers = ({ db }: Pick<OpenDocument, "db">): KeptAnswers | null =>
  hasTable(db, KEYS_TABLE) ? new KeptAnswers(db, KEYS_TABLE) : null;

/** Whose requests displace each other's answers: visitors of forms must not displace those of programs. */
export const ANSWER_OWNERS = { programs: 0, forms: 1 } as const;

/** Writes an answer, creating the table if necessary. Call it in a transaction. */
export function keepAnswer(
  document: OpenDocument,
  key: RequestKey,
  answer: KeptAnswer,
  owner: number = ANSWER_OWNERS.programs,
): void {
  let answers = findKeptAnswers(document);
  if (!answers) {
    answers = new KeptAnswers(document.db, KEYS_TABLE);
    answers.create();
    document.invalidateSchema();
  }
  answers.add({ key, answer, nowMs: document.clock.now(), owner });
}
