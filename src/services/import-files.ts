import { type Actor, actorId } from "../access.ts";
import { invalid, notFound } from "../errors.ts";
import { detectFileFormat } from "../exchange/readers.ts";
import { inferTables, selectTable, type TypedFile } from "../exchange/decide-tables.ts";
import { receiveUpload, type Upload } from "../files/uploads.ts";
import type { FileToImport } from "../hosts/documents.ts";
import { knownLocale, preferredLocale } from "../lib/locale-choice.ts";
import type { ImportChoices } from "../wire/imports.ts";
import type { Context } from "./context.ts";
import { type FileInUse, type Incoming, removeRows, type Staged, uploadedFiles } from "./uploads.ts";

/** What a request wants to import: a form with a file, or the number of files that were uploaded before. */
export type ImportSource = (
  | {
      readonly incoming: Incoming;
      /** Reads choices from the fields of the form. */
      readonly choicesOf: (fields: Readonly<Record<string, string>>) => ImportChoices;
    }
  | { readonly uploadId: number; readonly choices: ImportChoices }
) & {
  /** What the caller's browser sends as Accept-Language. */
  readonly languages: string | null;
};

/** A file to import, with what the request says about it. */
export interface GivenFile extends AsyncDisposable {
  readonly file: FileToImport;
  readonly choices: ImportChoices;
  /** Other fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
  readonly languages: string | null;
  /** The rows of the file, as `FileInUse.staged`. */
  staged: FileInUse["staged"];
}

/** A file that was uploaded, which later requests can use. */
export interface GivenUpload extends GivenFile {
  /** Keeps the file, and the rows that were read of it, after this request. Gives the number to use it by. */
  keep(): Promise<number>;
}

/**
 * Takes the file of a request: from its form, or one that was uploaded before.
 * @throws AppError as `receiveUpload`; `invalid` when there is no file, `notFound` for an upload
 */
export async function takeFile(ctx: Context, actor: Actor, source: ImportSource): Promise<GivenUpload> {
  const { languages } = source;
  if ("uploadId" in source) {
    const { uploadId, choices } = source;
    return keptFile(ctx.uploads.use(actor, uploadId), uploadId, { choices, fields: {}, languages });
  }
  const { incoming, choicesOf } = source;
  const upload = await receiveUpload(incoming.source, incoming.limits);
  try {
    const { fields } = upload;
    const about = { choices: choicesOf(fields), fields, languages };
    if (fields["uploadId"] === undefined || upload.files.length > 0)
      return formFile(ctx, actor, { upload, incoming, about });
    const uploadId = Number(fields["uploadId"]);
    const kept = keptFile(ctx.uploads.use(actor, uploadId), uploadId, about);
    await upload[Symbol.asyncDispose]();
    return kept;
  } catch (error) {
    await upload[Symbol.asyncDispose]();
    throw error;
  }
}

type About = Pick<GivenFile, "choices" | "fields" | "languages">;

const keptFile = (used: FileInUse, uploadId: number, about: About): GivenUpload => ({
  ...about,
  file: toImport(used),
  staged: used.staged,
  keep: () => Promise.resolve(uploadId),
  [Symbol.asyncDispose]: () => used[Symbol.asyncDispose](),
});

/** The file of a form, which goes with the request unless it is kept. */
function formFile(
  ctx: Context,
  actor: Actor,
  { upload, incoming, about }: { upload: Upload; incoming: Incoming; about: About },
): GivenUpload {
  const [file] = uploadedFiles(upload);
  if (!file) throw invalid("The form has no file in its field upload");
  const passing = passingFile(file, about);
  let isKept = false;
  return {
    ...passing,
    async keep() {
      const { uploadId } = await ctx.uploads.adopt(actor, upload, { ...incoming.limits, staged: passing.rows() });
      isKept = true;
      return uploadId;
    },
    [Symbol.asyncDispose]: async () => {
      if (isKept) return;
      await passing[Symbol.asyncDispose]();
      await upload[Symbol.asyncDispose]();
    },
  };
}

/** A file whose rows go with the request. */
function passingFile(file: FileToImport, about: About): GivenFile & { rows(): Staged | null } {
  let rows: Staged | null = null;
  return {
    ...about,
    file: toImport(file),
    rows: () => rows,
    async staged(key, stage) {
      rows = { key, tables: await stage() };
      return rows.tables;
    },
    [Symbol.asyncDispose]: () => removeRows(rows?.tables ?? []),
  };
}

/** A file that is no upload: it stays where it is. */
export const fileOnDisk = (file: FileToImport, choices: ImportChoices): GivenFile =>
  passingFile(file, { choices, fields: {}, languages: null });

/** What of an uploaded file the threads need that read it. */
const toImport = ({ path, name }: FileToImport): FileToImport => ({ path, name });

/** True for a document file, which becomes the document it is. */
export const isDocument = async ({ file }: GivenFile): Promise<boolean> =>
  (await detectFileFormat(file.path, file.name)).kind === "document";

/**
 * The tables of a file with the types of their columns.
 * @throws AppError `invalid` when the file cannot be read or a choice does not fit, `notFound` for its sheet
 */
export async function typedFile(ctx: Context, actor: Actor, given: GivenFile): Promise<TypedFile> {
  const { choices, file } = given;
  const { header, delimiter, encoding, sheet } = choices;
  const reading = { header, delimiter, encoding, sheet };
  const locale = localeFor(ctx, actor, given);
  const tables = await given.staged(JSON.stringify(reading), () => ctx.documents.stageFile(file, reading));
  const typed = inferTables(tables, { ...choices, locale, isLocaleFixed: choices.locale !== undefined });
  if (sheet === undefined) return typed;
  const named = selectTable(typed, sheet);
  if (!named) throw notFound(`The file has no table ${JSON.stringify(sheet)}`, "table.not_found");
  return named;
}

/** The locale of the request, else that of the user, else that of the browser. */
function localeFor({ home }: Context, actor: Actor, { choices, languages }: GivenFile): string {
  if (choices.locale !== undefined) {
    const locale = knownLocale(choices.locale);
    if (locale === null) throw invalid(`locale ${JSON.stringify(choices.locale)} is unknown`);
    return locale;
  }
  const own = home.users.byId(actorId(actor))?.locale ?? null;
  return (own === null ? null : knownLocale(own)) ?? preferredLocale(languages) ?? "en-US";
}
