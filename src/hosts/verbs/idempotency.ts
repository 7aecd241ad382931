import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { findKeptAnswers, keepAnswer } from "../../doc/kept-answers.ts";
import type { KeptAnswer, RequestKey } from "../../lib/kept-answers.ts";
import { matchingAnswer } from "../kept-refusals.ts";
import { verb } from "./verb.ts";

interface KeepArgs {
  readonly key: RequestKey;
  readonly answer: KeptAnswer;
}

/** Verbs for answers that routes keep themselves. They belong to callers, whose requests their keys identify. */
export const idempotencyVerbs = {
  /** Null if there is none. @throws AppError `idempotency.body_differs` */
  "idempotency.find": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run(document: OpenDocument, _grant: DocumentGrant, key: RequestKey): KeptAnswer | null {
      const stored = findKeptAnswers(document)?.find(key.scope, document.clock.now());
      if (!stored) return null;
      const { verb: name, form, status, content } = matchingAnswer(stored, key);
      // The answer of a verb needs its access check.
      return { verb: name, form, status, content: name === null ? content : "" };
    },
  }),
  "idempotency.keep": verb({
    needs: "viewers",
    underRules: "unaffected",
    run: (document: OpenDocument, _grant: DocumentGrant, { key, answer }: KeepArgs): void =>
      document.db.transaction(() => keepAnswer(document, key, answer)),
  }),
};
