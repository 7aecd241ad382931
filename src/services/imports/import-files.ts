import { type AccountActor, actorId } from "../../authorization.ts";
import { invalid, notFound } from "../../errors.ts";
import { detectFileFormat } from "../../exchange/file-formats.ts";
import { inferTables, leaveOutColumns, selectTables, type TypedFile } from "../../exchange/infer-tables.ts";
import { receiveUpload, type Upload, type UploadLimits } from "../../files/uploads.ts";
import type { FileToImport } from "../../hosts/documents.ts";
import { canonicalLocale, preferredLocale } from "../../lib/text/locales.ts";
import type { TableImportOptions } from "../../wire/documents/imports.ts";
import type { Context } from "../context.ts";
import { ImportJob } from "./import-job.ts";
import { type UploadLease, type IncomingUpload, removeRows, type Staged, requireUploadedFiles } from "./uploads.ts";

/** The file to import: in a form, the id of an earlier upload, or an address. */
export type ImportSource = (
  | {
      readonly incoming: IncomingUpload;
      /** Parses the import options from the fields of the form. */
      readonly choicesOf: (fields: Readonly<Record<string, string>>) => TableImportOptions;
    }
  | { readonly uploadId: number; readonly choices: TableImportOptions }
  | { readonly url: string; readonly limits: UploadLimits; readonly choices: TableImportOptions }
) & {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** The Accept-Language header of the request. */
  readonly languages: string | null;
};

/** A file to import, with its import options. */
export interface ImportFile extends AsyncDisposable {
  readonly file: FileToImport;
  readonly choices: TableImportOptions;
  /** Other fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
  readonly languages: string | null;
  /** Cancels the import; absent for imports that nothing cancels. */
  readonly job?: ImportJob | undefined;
  /** The rows of the file, as `UploadLease.staged`. */
  staged: UploadLease["staged"];
}

/** An uploaded file that later requests can use. */
export interface ImportUpload extends ImportFile {
  /** Keeps the file and its parsed rows after this request. Returns the id of the upload. */
  retain(): Promise<number>;
}

/**
 * Opens the file of a request: from its form, from an earlier upload, or from its address.
 * @throws AppError as `receiveUpload`, `FileFetcher.fetch`; `invalid` if the file is missing, `notFound` for an upload
 */
export async function openImportFile(ctx: Context, actor: AccountActor, source: ImportSource): Promise<ImportUpload> {
  const { languages, signal } = source;
  if ("uploadId" in source) {
    const { uploadId, choices } = source;
    const lease = ctx.uploads.acquire(actor, uploadId, signal);
    return uploadedImportFile(lease, uploadId, { choices, fields: {}, languages });
  }
  const job = new ImportJob(signal);
  if ("url" in source) {
    const { url, limits, choices } = source;
    const upload = await ctx.fetcher.fetch(actor, url, { limits, signal: job.signal });
    return formImportFile(ctx, actor, { upload, limits, details: { choices, fields: {}, languages, job } });
  }
  const { incoming, choicesOf } = source;
  const { limits } = incoming;
  const upload = await receiveUpload(incoming.source, limits);
  try {
    const { fields } = upload;
    const details = { choices: choicesOf(fields), fields, languages };
    if (fields["uploadId"] === undefined || upload.files.length > 0)
      return formImportFile(ctx, actor, { upload, limits, details: { ...details, job } });
    const uploadId = Number(fields["uploadId"]);
    const uploadedFile = uploadedImportFile(ctx.uploads.acquire(actor, uploadId, signal), uploadId, details);
    await upload[Symbol.asyncDispose]();
    return uploadedFile;
  } catch (error) {
    await upload[Symbol.asyncDispose]();
    throw error;
  }
}

type ImportFileDetails = Pick<ImportFile, "choices" | "fields" | "languages" | "job">;

const uploadedImportFile = (leasedFile: UploadLease, uploadId: number, details: ImportFileDetails): ImportUpload => ({
  ...details,
  job: leasedFile.job,
  file: toFileToImport(leasedFile),
  staged: leasedFile.staged,
  retain: () => Promise.resolve(uploadId),
  [Symbol.asyncDispose]: () => leasedFile[Symbol.asyncDispose](),
});

/** A file in a form; removed after the request unless it is retained. */
function formImportFile(
  ctx: Context,
  actor: AccountActor,
  { upload, limits, details }: { upload: Upload; limits: UploadLimits; details: ImportFileDetails },
): ImportUpload {
  const [file] = requireUploadedFiles(upload);
  if (!file) throw invalid("The form field upload must contain a file");
  const transient = transientImportFile(file, details);
  let isRetained = false;
  return {
    ...transient,
    async retain() {
      // A caller who has disconnected does not learn the id.
      details.job?.signal.throwIfAborted();
      const { uploadId } = await ctx.uploads.retain(actor, upload, { ...limits, staged: transient.rows() });
      isRetained = true;
      return uploadId;
    },
    [Symbol.asyncDispose]: async () => {
      if (isRetained) return;
      await transient[Symbol.asyncDispose]();
      await upload[Symbol.asyncDispose]();
    },
  };
}

/** A file whose parsed rows are removed after the request. */
function transientImportFile(file: FileToImport, details: ImportFileDetails): ImportFile & { rows(): Staged | null } {
  let rows: Staged | null = null;
  return {
    ...details,
    file: toFileToImport(file),
    rows: () => rows,
    async staged(key, stage) {
      rows = { key, tables: await stage() };
      return rows.tables;
    },
    [Symbol.asyncDispose]: () => removeRows(rows?.tables ?? []),
  };
}

/** A local file that is not an upload and stays in place. */
export const localImportFile = (file: FileToImport, choices: TableImportOptions): ImportFile =>
  transientImportFile(file, { choices, fields: {}, languages: null });

/** Returns the properties of an uploaded file that workers need to read it. */
const toFileToImport = ({ path, name }: FileToImport): FileToImport => ({ path, name });

/** True for a document file, which is imported as it is. */
export const isDocumentFile = async ({ file }: ImportFile): Promise<boolean> =>
  (await detectFileFormat(file.path, file.name)).kind === "document";

/**
 * Returns the tables of a file with their column types.
 * @throws AppError `invalid` if the file cannot be read or an option does not fit, `notFound` for its sheet
 */
export async function readTypedTables(ctx: Context, actor: AccountActor, importFile: ImportFile): Promise<TypedFile> {
  const { choices, file, job } = importFile;
  const { header, delimiter, encoding, sheet } = choices;
  const readOptions = { header, delimiter, encoding, sheet };
  const locale = localeFor(ctx, actor, importFile);
  const tables = await importFile.staged(JSON.stringify(readOptions), () =>
    ctx.documents.stageFile(file, readOptions, job),
  );
  const typed = inferTables(tables, { ...choices, locale, isLocaleFixed: choices.locale !== undefined });
  const selected = selectSheets(typed, choices);
  return choices.leaveOut ? leaveOutColumns(selected, choices.leaveOut) : selected;
}

function selectSheets(typed: TypedFile, { sheet, sheets }: ImportFile["choices"]): TypedFile {
  const selected = sheets ? selectTables(typed, sheets) : typed;
  const file = selected && sheet !== undefined ? selectTables(selected, [sheet]) : selected;
  if (file) return file;
  const names = [...(sheets ?? []), ...(sheet === undefined ? [] : [sheet])];
  const missing = names.filter((name) => !typed.tables.some((table) => table.name === name));
  const quoted = (missing.length > 0 ? missing : names).map((name) => JSON.stringify(name.slice(0, 100))).slice(0, 10);
  throw notFound(`The file has no table ${quoted.join(", ")}`, "table.not_found");
}

/** Returns the locale of the request, the user or the browser, in this order. */
function localeFor({ home }: Context, actor: AccountActor, { choices, languages }: ImportFile): string {
  if (choices.locale !== undefined) {
    const locale = canonicalLocale(choices.locale);
    if (locale === null) throw invalid(`Unknown locale ${JSON.stringify(choices.locale)}`);
    return locale;
  }
  const userLocale = home.users.byId(actorId(actor))?.locale ?? null;
  return (userLocale === null ? null : canonicalLocale(userLocale)) ?? preferredLocale(languages) ?? "en-US";
}
