import type { DocumentGrant, GrantedRequestKey } from "../authorization.ts";
import type { OpenDocument } from "../doc/document.ts";
import { ANSWER_OWNERS, findKeptAnswers, keepAnswer } from "../doc/kept-answers.ts";
import { isRestricted } from "../doc/read/visibility-filter.ts";
import { AppError } from "../errors.ts";
import { type KeptAnswer, MAX_WHOLE_BYTES, partialAnswer } from "../lib/kept-answers.ts";
import { isKeptRefusal, keptRefusal, matchingAnswer } from "./kept-refusals.ts";

/** Calls with a request key: a change and its answer are written in one transaction. */

/** The outcome of a call with a request key. */
export interface KeyedOutcome<Result = unknown> {
  readonly isKeyedOutcome: true;
  /** The result of a change that was just made; absent for an answer that was kept. */
  readonly made?: { readonly result: Result };
  /** The answer that is kept; null for a result, unless it is a replay. */
  readonly kept: KeptAnswer | null;
}

interface KeyedChange {
  readonly key: GrantedRequestKey;
  readonly verb: string;
  readonly isApplied: ((result: unknown) => boolean) | undefined;
  readonly change: () => unknown;
}

/**
 * Makes a change and keeps its answer, or returns the answer that is kept.
 * @throws AppError `idempotency.body_differs`, and refusals that are not kept
 */
export function runKeyed(
  document: OpenDocument,
  grant: DocumentGrant,
  { key, verb, isApplied = () => true, change }: KeyedChange,
): KeyedOutcome {
  const { db, clock } = document;
  const owner = grant.formLink === undefined ? ANSWER_OWNERS.programs : ANSWER_OWNERS.forms;
  return db.transaction((): KeyedOutcome => {
    const stored = findKeptAnswers(document)?.find(key.scope, clock.now()) ?? null;
    if (stored) return { isKeyedOutcome: true, kept: shownAnswer(document, grant, matchingAnswer(stored, key)) };
    if (key.isReplay) throw new AppError("unavailable", "The answer has just expired; try again", { retryAfterS: 1 });
    try {
      const result = db.transaction(change);
      if (isApplied(result)) keepAnswer(document, key, answerOfResult(verb, result), owner);
      return { isKeyedOutcome: true, made: { result }, kept: null };
    } catch (error) {
      if (!isKeptRefusal(error) || !db.inTransaction) throw error;
      const kept = keptRefusal(verb, error);
      keepAnswer(document, key, kept, owner);
      return { isKeyedOutcome: true, made: { result: null }, kept };
    }
  });
}

function answerOfResult(verb: string, result: unknown): KeptAnswer {
  const bytes = (result as { bytes?: unknown } | null | undefined)?.bytes;
  const isAnswer = bytes instanceof Uint8Array;
  const content = isAnswer ? new TextDecoder().decode(bytes) : JSON.stringify(result ?? null);
  if (Buffer.byteLength(content) > MAX_WHOLE_BYTES) {
    return { form: "ids", status: 200, content: partialAnswer(content), verb };
  }
  return { form: isAnswer ? "json" : "result", status: isAnswer ? 200 : 0, content, verb };
}

/** Answers with records, and undos with the cells that they reverted. */
const WITH_CELLS = /"(fields|planId)":/;

/** Answers with records are repeated only for callers from whom rules hide nothing: what they may read can have changed. */
function shownAnswer(document: OpenDocument, grant: DocumentGrant, answer: KeptAnswer): KeptAnswer {
  const { form, content } = answer;
  if (form !== "json" || !WITH_CELLS.test(content) || !isRestricted(document, grant)) return answer;
  return { ...answer, form: "ids", content: partialAnswer(content) };
}
