import type { ChangeCount } from "../doc/change-counter.ts";
import type { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";

/** What an answer saw of its document: the last commit; null when the document was not read. */
export type SeenCommit = ChangeCount | null;

/** What happens to an answer: exactly one of the two is called, once. */
export interface Departure {
  readonly leave: () => void;
  /** Called instead of `leave` when the answer must not leave; absent for notifications, which are dropped. */
  readonly refuse?: (error: AppError) => void;
}

interface HeldAnswer extends Departure {
  readonly seen: ChangeCount;
}

interface HeldDocument {
  /** Answers that saw a later commit wait. */
  released: ChangeCount;
  /** Why answers that saw a later commit are refused instead; null while they wait. */
  refusal: AppError | null;
  /** In order of arrival. */
  waiting: HeldAnswer[];
}

/**
 * The one place that decides when an answer may leave, by the commit that it saw: answers of changes and reads, the
 * first chunk of large responses, and notifications about changes and webhooks; SQL processes and copies of files wait
 * for an answer that is as new (`Documents.released`). Everything leaves at once, unless a document is held because its
 * commits are not yet safe elsewhere.
 */
export class AnswerGate {
  readonly #held = new Map<string, HeldDocument>();
  readonly #refusalOf: (uuid: string) => AppError | null;

  /**
   * @param refusalOf returns why no answer about a held document may leave at this moment; null if answers may. Called
   * for each answer about a held document when it is about to leave.
   */
  constructor(refusalOf: (uuid: string) => AppError | null = () => null) {
    this.#refusalOf = refusalOf;
  }

  /** True while answers about the document leave at once. */
  isOpen(uuid: string): boolean {
    return !this.#held.has(uuid);
  }

  /** Passes an answer: it leaves once the commit that it saw is released, which may be now, or is refused. */
  pass(uuid: string, seen: SeenCommit, departure: Departure | (() => void)): void {
    const answer = typeof departure === "function" ? { leave: departure } : departure;
    const document = this.#held.get(uuid);
    if (!document || !seen) return answer.leave();
    if (seen.seq <= document.released.seq) return this.#depart(uuid, answer);
    if (document.refusal) return answer.refuse?.(document.refusal);
    const { leave, refuse } = answer;
    document.waiting.push({ seen, leave: guarded(leave), ...(refuse && { refuse: guarded(refuse) }) });
  }

  /** Holds answers that saw a later commit than `released` from now on. The numbers of commits rise across epochs. */
  hold(uuid: string, released: ChangeCount): void {
    const document = this.#held.get(uuid);
    if (document) Object.assign(document, { released, refusal: null });
    else this.#held.set(uuid, { released, refusal: null, waiting: [] });
  }

  /** Releases commits up to `released`: the answers that saw no later one leave, in order of arrival. */
  release(uuid: string, released: ChangeCount): void {
    const document = this.#held.get(uuid);
    if (!document) return;
    document.released = released;
    const { waiting } = document;
    document.waiting = waiting.filter(({ seen }) => seen.seq > released.seq);
    for (const answer of waiting) if (answer.seen.seq <= released.seq) this.#depart(uuid, answer);
  }

  /**
   * Refuses the waiting answers of a held document, and all later ones that saw an unreleased commit, until the document
   * is held or opened again.
   */
  refuse(uuid: string, error: AppError): void {
    const document = this.#held.get(uuid);
    if (!document) return;
    document.refusal = error;
    const { waiting } = document;
    document.waiting = [];
    for (const { refuse } of waiting) refuse?.(error);
  }

  /** Stops holding the answers of a document; all leave, in order of arrival. */
  open(uuid: string): void {
    const waiting = this.#held.get(uuid)?.waiting ?? [];
    this.#held.delete(uuid);
    for (const { leave } of waiting) leave();
  }

  #depart(uuid: string, { leave, refuse }: Departure): void {
    const refusal = this.#refusalOf(uuid);
    if (refusal) refuse?.(refusal);
    else leave();
  }
}
