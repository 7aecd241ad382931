/** Files of answers to forms. */
import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { VerbArgs } from "../../hosts/documents.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import type { IncomingUpload } from "../imports/uploads.ts";
import type { FileLimits, FormAnswer, FormCaller, FormLink } from "./form-types.ts";

// Loaded on first use, as for other uploads.
const contents = () => import("../attachments/attachments.ts");

/** Returns what identifies a visitor between an upload and the answer with it: their account, or a cookie. */
export function uploadSession(user: FormCaller["user"], cookie: string | null): string | null {
  if (user) return `user ${user.userId}`;
  return cookie === null ? null : sha256Hex(cookie);
}

/**
 * Stores files that a later request puts into an answer.
 * @throws AppError `form.link_only` unless an open form of the link asks for files; as `uploadAttachments`
 */
export async function uploadForAnswer(
  ctx: Context,
  { grant }: FormLink,
  { upload, session, caller }: { upload: IncomingUpload; session: string; caller: FormCaller },
): Promise<readonly number[]> {
  ctx.answerLimits.take(caller.address);
  await ctx.documents.call(grant, "forms.mayUpload", null);
  return ctx.answerLimits.run(grant.uuid, () => store(ctx, grant, { upload, session }));
}

async function store(
  ctx: Context,
  grant: DocumentGrant,
  { upload, session }: { upload: IncomingUpload; session: string },
): Promise<readonly number[]> {
  const { uploadAttachments } = await contents();
  const ids = await uploadAttachments(ctx, grant, upload);
  await ctx.documents.call(grant, "forms.recordUploads", { ids, session });
  return ids;
}

/**
 * Stores the files of an answer, after everything else in it was checked, and returns the answer with their ids.
 * @throws AppError as `forms.answer`, `uploadAttachments`
 */
export async function uploadFilesOfAnswer(
  ctx: Context,
  grant: DocumentGrant,
  { answer, args }: { answer: FormAnswer; args: VerbArgs<"forms.answer"> },
): Promise<VerbArgs<"forms.answer">> {
  const { fields, fileLimits } = answer;
  const files = Object.entries(answer.files).filter(([, list]) => list.length > 0);
  if (!fileLimits) throw new Error("answers with files need limits");
  const names = files.map(([colId]) => colId);
  await ctx.documents.call(grant, "forms.check", { ...args, awaitedFiles: names });
  const count = files.reduce((sum, [, list]) => sum + list.length, 0);
  if (count > fileLimits.maxFiles) {
    throw new AppError("limit.upload_size", `An answer can have at most ${fileLimits.maxFiles} files`);
  }
  const session = `answer ${randomHex(16)}`;
  const ids = await store(ctx, grant, { upload: uploadOf(ctx, files, fileLimits), session });
  let at = 0;
  const uploaded = files.map(([colId, list]) => [colId, ["L", ...ids.slice(at, (at += list.length))]] as const);
  const answered = { ...fields, ...Object.fromEntries(uploaded) };
  return { ...args, session, answers: { kind: "fields", fields: answered } };
}

/** Returns files as an upload that is received. */
function uploadOf(ctx: Context, files: readonly [string, readonly File[]][], limits: FileLimits): IncomingUpload {
  const form = new FormData();
  for (const [, list] of files) for (const file of list) form.append("upload", file, file.name);
  const response = new Response(form);
  // Before `body`, which makes Bun forget the type.
  const type = response.headers.get("content-type");
  const { body } = response;
  return {
    source: { type, sizeBytes: null, chunks: body && chunksOf(body) },
    limits: { folder: ctx.temporary.folder, space: ctx.temporary, ...limits },
    signal: new AbortController().signal,
  };
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield chunk;
}
