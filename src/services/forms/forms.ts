/** Published forms: opened by the key of their link, read and answered by anyone who has it. */
import type { DocumentGrant, GrantedRequestKey } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { AddedAnswers, OpenForm, VerbArgs } from "../../hosts/documents.ts";
import type { KeyedOutcome } from "../../hosts/keyed-call.ts";
import { refusalOf } from "../../hosts/kept-refusals.ts";
import { sha256Hex } from "../../lib/ids.ts";
import { guardFormLink } from "../access/guards.ts";
import type { Context } from "../context.ts";
import type { FormAnswer, FormCaller, FormLink } from "./form-types.ts";
import { uploadFilesOfAnswer } from "./form-uploads.ts";

export type { FieldProblem, FormField, OfferedRow, OpenForm, ProblemCode } from "../../hosts/documents.ts";

export type { FileLimits, FormAnswer, FormCaller, FormLink } from "./form-types.ts";

/**
 * Opens the link with a key.
 * @throws AppError `form.not_found`
 */
export const openLink = (ctx: Context, key: string): FormLink => ({ grant: guardFormLink(ctx, key) });

/** Which form to read. */
export interface FormRequest {
  /** The row id of the section. */
  readonly section: number;
  /** True to add what only pages show. */
  readonly forPage?: boolean;
}

/**
 * Reads a published form.
 * @throws AppError `form.not_found`, `form.not_published`, `form.closed` (`details.closedAt`: ISO 8601, when a date closed it)
 */
export const readForm = (ctx: Context, { grant }: FormLink, request: FormRequest): Promise<OpenForm> =>
  ctx.documents.call(grant, "forms.readPublished", { forPage: false, ...request });

/** Reads a form for members of the document, published or not. @throws AppError `form.not_found` */
export const readDocumentForm = (ctx: Context, grant: DocumentGrant, request: FormRequest): Promise<OpenForm> =>
  ctx.documents.call(grant, "forms.read", { forPage: false, ...request });

/**
 * Returns how many answers a form has received over its link; null for callers from whom access rules hide a part of the document.
 * @throws AppError `form.not_found`
 */
export const countFormAnswers = (ctx: Context, grant: DocumentGrant, section: number): Promise<number | null> =>
  ctx.documents.call(grant, "forms.countAnswers", { section });

/** Returns the rows of a table that the published forms of a link offer. @throws AppError `form.link_only` */
export const readLinkedRows = (ctx: Context, { grant }: FormLink, table: string) =>
  ctx.documents.call(grant, "forms.linkedRows", { table });

/**
 * Adds a row for an answer.
 * @throws AppError `form.not_found`, `form.not_published`, `form.closed`, `form.sign_in`; `form.fields_invalid` with
 * `details.fields`, a `FieldProblem` by column id; `limit.form_answers` and `form.busy`, with a time to retry after
 */
export async function submitAnswer(ctx: Context, link: FormLink, answer: FormAnswer): Promise<{ rowId: number }> {
  const { section, fields, files, token, caller } = answer;
  const hashes: [string, [name: string, hash: string][]][] = [];
  for (const [colId, list] of Object.entries(files)) {
    const contents: [string, string][] = [];
    for (const file of list) contents.push([file.name, sha256Hex(new Uint8Array(await file.arrayBuffer()))]);
    if (contents.length > 0) hashes.push([colId, contents]);
  }
  const identity = JSON.stringify([section, token, fields, hashes]);
  const { ids } = await add(ctx, link, {
    caller,
    identity,
    args: { form: { section }, answers: { kind: "fields", fields }, noparse: false, session: null },
    ...(hashes.length > 0 && { upload: answer }),
  });
  return { rowId: ids[0] ?? 0 };
}

/** Answers in the body of a request for the records of a table. */
export interface RecordAnswers {
  readonly table: string;
  readonly kind: "records" | "data";
  readonly body: Uint8Array | null;
  readonly noparse: boolean;
  /** Identifies the visitor who uploaded files. */
  readonly session: string | null;
  /** Requests with the same key and body add rows once; null for any number of times. */
  readonly key: string | null;
  readonly caller: FormCaller;
}

/** Adds rows to the table of a form. @throws AppError as `submitAnswer`; `form.link_only` for other tables */
export async function addRecordAnswers(
  ctx: Context,
  link: FormLink,
  answers: RecordAnswers,
): Promise<readonly number[]> {
  const { table, kind, body, noparse, session, key, caller } = answers;
  const identity = key === null ? null : JSON.stringify([table, kind, key, sha256Hex(Uint8Array.from(body ?? []))]);
  const args = { form: { table }, answers: { kind, body }, noparse, session };
  return (await add(ctx, link, { caller, identity, args })).ids;
}

/** Counts an answer in which a field was filled in that people do not see. It is not stored. */
export const countTrapped = ({ answerLimits }: Context): void => void answerLimits.counts.trapped++;

interface Submission {
  readonly caller: FormCaller;
  /** Equal for submissions that add their rows once; null for one that is never the same as another. */
  readonly identity: string | null;
  readonly args: Omit<VerbArgs<"forms.answer">, "isSignedIn">;
  /** Set when the answer has files. */
  readonly upload?: FormAnswer;
}

async function add(ctx: Context, { grant }: FormLink, submission: Submission): Promise<AddedAnswers> {
  const { caller, identity, args, upload } = submission;
  const { answerLimits } = ctx;
  answerLimits.take(caller.address);
  const scope = identity === null ? null : sha256Hex(JSON.stringify(["form", grant.formLink?.linkId, identity]));
  const key = scope === null ? null : { scope, bodyHash: scope };
  const full = { ...args, isSignedIn: caller.user !== null };
  try {
    const added = await answerLimits.run(grant.uuid, async () => {
      if (!upload) return answerOnce(ctx, grant, { key, args: full });
      const kept = key && (await findKept(ctx, grant, key));
      if (kept) return kept;
      const own = await uploadFilesOfAnswer(ctx, grant, { answer: upload, args: full });
      return answerOnce(ctx, grant, { key, args: own });
    });
    answerLimits.counts.accepted++;
    return added;
  } catch (error) {
    if (error instanceof AppError && error.reason !== "form.busy") answerLimits.counts.refused++;
    throw error;
  }
}

interface KeyedAnswer {
  readonly key: GrantedRequestKey | null;
  readonly args: VerbArgs<"forms.answer">;
}

/** The row and the proof that it was added are written in one transaction: a crash leaves both, or none. */
async function answerOnce(ctx: Context, grant: DocumentGrant, { key, args }: KeyedAnswer): Promise<AddedAnswers> {
  if (!key) return ctx.documents.call(grant, "forms.answer", args);
  const keyedGrant = { ...grant, requestKey: key };
  const outcome = (await ctx.documents.call(keyedGrant, "forms.answer", args)) as unknown as KeyedOutcome<AddedAnswers>;
  if (outcome.made && !outcome.kept) return outcome.made.result;
  return resultOf(outcome);
}

async function findKept(ctx: Context, grant: DocumentGrant, key: GrantedRequestKey): Promise<AddedAnswers | null> {
  const found = await ctx.documents.call(grant, "idempotency.find", key);
  if (!found) return null;
  const replay = { ...grant, requestKey: { ...key, isReplay: true } };
  const outcome = (await ctx.documents.call(replay, "forms.answer", null as never)) as unknown as KeyedOutcome;
  return resultOf(outcome);
}

function resultOf({ kept }: KeyedOutcome): AddedAnswers {
  if (!kept) throw new AppError("unavailable", "The answer is being stored; retry", { retryAfterS: 1 });
  if (kept.form === "refusal") throw refusalOf(kept);
  return JSON.parse(kept.content) as AddedAnswers;
}
