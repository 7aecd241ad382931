import { AppError } from "../errors.ts";
import type { KeptAnswer, RequestKey, StoredAnswer } from "../lib/kept-answers.ts";
import { KeptAnswers } from "../sqlite/kept-answers.ts";
import type { HomeDatabase } from "./database.ts";

/** Answers to requests with an `Idempotency-Key` that change the home database. */
export interface HomeAnswers {
  /** @throws AppError `unavailable` while the nodes of a cluster are being upgraded */
  find(scope: string): StoredAnswer | null;
  /** Adds an answer; call it in the transaction of the change. */
  add(owner: number, key: RequestKey, answer: KeptAnswer): void;
}

const VERSION = 7;

export function createHomeAnswers({ raw, clock, version }: HomeDatabase): HomeAnswers {
  const answers = new KeptAnswers(raw, "idempotency_answers");
  return {
    find(scope) {
      // In a cluster, migrations wait until all nodes know the new version.
      if (version() < VERSION) throw beingUpgraded();
      return answers.find(scope, clock.now());
    },
    add: (owner, key, answer) => answers.add({ key, answer, nowMs: clock.now(), owner }),
  };
}

const beingUpgraded = (): AppError =>
  new AppError("unavailable", "Idempotency-Key is available when all servers of the cluster have been upgraded", {
    retryAfterS: 60,
  });
