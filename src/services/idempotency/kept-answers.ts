/** Answers to requests with an `Idempotency-Key`: found again, repeated, and kept together with the change. */
import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { KeyedOutcome } from "../../hosts/keyed-call.ts";
import { isKeptRefusal, keptRefusal, matchingAnswer, refusalOf } from "../../hosts/kept-refusals.ts";
import { changeOf } from "../../hosts/observed-documents.ts";
import type { VerbName } from "../../hosts/verbs/verbs.ts";
import { must } from "../../lib/assert.ts";
import { type KeptAnswer, MAX_WHOLE_BYTES, partialAnswer, type RequestKey } from "../../lib/kept-answers.ts";
import type { Context } from "../context.ts";

export { isKeptRefusal, type RequestKey };

/** What a route has answered. */
export interface GivenAnswer {
  readonly status: number;
  readonly form: "json" | "text";
  readonly content: string;
}

/** An answer to repeat; with `result`, the route creates it from the result of its operation. */
export type RepeatedAnswer = GivenAnswer | { readonly result: unknown };

/** Keeps answers in a document, or in the home database. */
export interface AnswerStore {
  /** Returns the answer of an earlier request; throws it if it was a refusal. @throws AppError `idempotency.body_differs` */
  find(): Promise<RepeatedAnswer | null>;
  /** The context for the request: what it changes is written together with its answer. */
  readonly ctx: Context;
  /** True when an answer was kept together with the change. */
  isKept(): boolean;
  /** Keeps the answer of a request that changed nothing that has a transaction with it. */
  keep(answer: GivenAnswer): Promise<void>;
  keepRefusal(error: AppError): Promise<void>;
}

/** Changes of documents that are not marked as such by their verbs. */
const OTHER_CHANGES: ReadonlySet<VerbName> = new Set(["jobs.begin", "states.remove", "webhooks.clear"]);

/** `webhooks.modify` is followed by a change of the home database, and can be repeated. */
const isKeyedChange = (verb: VerbName): boolean =>
  OTHER_CHANGES.has(verb) || (changeOf(verb) !== "none" && verb !== "webhooks.modify");

/** Answers of requests that change a document. */
export function documentAnswers(ctx: Context, grant: DocumentGrant, key: RequestKey): AnswerStore {
  const { documents } = ctx;
  let isUsed = false;
  let isKept = false;
  const keep = async (answer: KeptAnswer) => {
    await documents.call(grant, "idempotency.keep", { key, answer });
  };
  const keyedCall = async (own: DocumentGrant, verb: VerbName, args: unknown): Promise<unknown> => {
    const keyedGrant = { ...own, requestKey: key };
    const outcome = (await documents.call(keyedGrant, verb, args as never)) as unknown as KeyedOutcome;
    isKept = true;
    if (outcome.kept?.form === "refusal") throw refusalOf(outcome.kept);
    // Another request was faster, on another server: a retry finds its answer.
    if (!outcome.made)
      throw new AppError("unavailable", "The request was answered elsewhere; retry", { retryAfterS: 1 });
    return outcome.made.result;
  };
  const call = (own: DocumentGrant, verb: VerbName, args: unknown): Promise<unknown> => {
    if (isUsed || own.uuid !== grant.uuid || !isKeyedChange(verb)) return documents.call(own, verb, args as never);
    isUsed = true;
    return keyedCall(own, verb, args);
  };
  return {
    async find() {
      const found = await documents.call(grant, "idempotency.find", key);
      if (!found) return null;
      if (found.verb === null) return repeated(found);
      const replayGrant = { ...grant, requestKey: { ...key, isReplay: true } };
      const outcome = (await documents.call(replayGrant, found.verb as VerbName, null)) as unknown;
      return repeated(must((outcome as KeyedOutcome).kept, "answer"));
    },
    ctx: { ...ctx, documents: { ...documents, call: call as Context["documents"]["call"] } },
    isKept: () => isKept,
    keep: (answer) => keep(keptAnswer(answer)),
    keepRefusal: (error) => keep(keptRefusal(null, error)),
  };
}

interface HomeAnswerOptions {
  readonly key: RequestKey;
  readonly userId: number;
  /** Returns the answer as JSON, from the result of the transaction that makes the change. */
  readonly answerOf: ((result: unknown) => unknown) | undefined;
}

/** Answers of requests that change the home database. */
export function homeAnswers(ctx: Context, { key, userId, answerOf }: HomeAnswerOptions): AnswerStore {
  const { home } = ctx;
  let isKept = false;
  const add = (answer: KeptAnswer) => home.answers.add(userId, key, answer);
  const transaction = <T>(work: () => T): T =>
    home.transaction(() => {
      const result = work();
      if (answerOf && !isKept) {
        add(keptAnswer({ status: 200, form: "json", content: JSON.stringify(answerOf(result)) }));
        isKept = true;
      }
      return result;
    });
  return {
    async find() {
      const found = home.answers.find(key.scope);
      return found && repeated(matchingAnswer(found, key));
    },
    ctx: answerOf ? { ...ctx, home: { ...home, transaction } } : ctx,
    isKept: () => isKept,
    async keep(answer) {
      home.transaction(() => add(keptAnswer(answer)));
    },
    async keepRefusal(error) {
      home.transaction(() => add(keptRefusal(null, error)));
    },
  };
}

/** Keeps an answer in the current transaction of the home database. */
export const keepInHome = (ctx: Context, { key, userId }: Omit<HomeAnswerOptions, "answerOf">, answer: GivenAnswer) =>
  ctx.home.answers.add(userId, key, keptAnswer(answer));

function keptAnswer({ status, form, content }: GivenAnswer): KeptAnswer {
  if (Buffer.byteLength(content) <= MAX_WHOLE_BYTES) return { status, form, content, verb: null };
  return { status, form: "ids", content: form === "json" ? partialAnswer(content) : NO_IDS, verb: null };
}

const NO_IDS = JSON.stringify({ partial: true, ids: null });

/** @throws the refusal */
function repeated(kept: KeptAnswer): RepeatedAnswer {
  const { status, form, content } = kept;
  if (form === "refusal") throw new RepeatedRefusal(refusalOf(kept));
  if (form === "result") return { result: JSON.parse(content) as unknown };
  return { status, form: form === "text" ? "text" : "json", content };
}

/** Wraps the refusal that is repeated. */
export class RepeatedRefusal extends Error {
  readonly refusal: Error;

  constructor(refusal: Error) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
