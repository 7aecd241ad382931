import { rm } from "node:fs/promises";
import { type ContentFile, embedContentFiles, listStoredContentsOfFile } from "../../doc/attachments/embed-contents.ts";
import type { StoredContent } from "../../doc/attachments/contents.ts";
import { copyDocumentFile, type CopyOptions } from "../../doc/copy-document.ts";
import type { FormulaLimits } from "../../doc/document.ts";
import type { DryRunReport } from "../../doc/dry-run/run-dry.ts";
import { listStatesOfFile, writePastFile } from "../../doc/history/past/past-file.ts";
import type { StateList } from "../../doc/history/past/state-times.ts";
import type { State } from "../../doc/history/states.ts";
import { type ImportedCounts, importDocumentFile } from "../../doc/import-document.ts";
import type { TableReport } from "../../doc/import-report.ts";
import { createDocumentFromTables, type FilledDocument, previewDocumentFromTables } from "../../doc/import-tables.ts";
import type { TemplateName } from "../../doc/templates/template.ts";
import { AppError, invalidFile } from "../../errors.ts";
import type { TypedFile } from "../../exchange/infer-tables.ts";
import { gunzipFile } from "../../exchange/gunzip.ts";
import { checkUnpacked, detectFileFormat, titleOf } from "../../exchange/file-formats.ts";
import { type StagedTable, stageTables } from "../../exchange/staging.ts";
import type { TableReadOptions } from "../../exchange/table-parts.ts";
import { SharedJob } from "../../lib/concurrency/shared-job.ts";
import { throwIfCancelled } from "../job-control.ts";
import { type ImportPreviewJob, previewImport } from "./preview-import.ts";

/** A job on whole files; large ones take long. */
export type FileJob =
  | { readonly kind: "copy"; readonly from: string; readonly to: string; readonly options: CopyOptions }
  | {
      readonly kind: "import";
      readonly from: FileToImport;
      readonly to: string;
      readonly formulas?: FormulaLimits | undefined;
    }
  | {
      readonly kind: "stage";
      readonly from: FileToImport;
      readonly choices: TableReadOptions;
      readonly to: string;
      /** Maximum unpacked size of a compressed file. */
      readonly maxBytes: number;
    }
  | { readonly kind: "fill"; readonly file: TypedFile; readonly to: string; readonly nowMs: number }
  | { readonly kind: "template"; readonly name: TemplateName; readonly to: string; readonly nowMs: number }
  | { readonly kind: "preview"; readonly file: TypedFile; readonly to: string }
  | { readonly kind: "embed"; readonly to: string; readonly contents: readonly ContentFile[] }
  | ({ readonly kind: "previewImport" } & ImportPreviewJob)
  | { readonly kind: "past"; readonly from: string; readonly to: string; readonly state: State }
  | { readonly kind: "states"; readonly to: string };

/** A file on disk with its original name. */
export interface FileToImport {
  readonly path: string;
  readonly name: string;
}

/** The result of each kind of job. */
export interface FileJobResults {
  /** The attachment contents that the copy references in stores. */
  readonly copy: readonly StoredContent[];
  readonly import: ImportedCounts;
  readonly stage: readonly StagedTable[];
  readonly fill: FilledDocument;
  readonly template: null;
  readonly preview: readonly TableReport[];
  readonly embed: null;
  readonly previewImport: DryRunReport;
  readonly past: null;
  /** The states of the file at `to`. */
  readonly states: StateList;
}

export type FileJobResult = FileJobResults[FileJob["kind"]];

/** @throws AppError as the function that implements the kind of job */
export async function runFileJob(job: FileJob, shared: SharedJob = new SharedJob()): Promise<FileJobResult> {
  // Ending the thread does not interrupt synchronous code.
  const report: Report = (step, done, total) => {
    throwIfCancelled(shared);
    shared.report(step, done, total);
  };
  try {
    switch (job.kind) {
      case "copy":
        copyDocumentFile(job.from, job.to, job.options);
        return listStoredContentsOfFile(job.to);
      case "embed":
        embedContentFiles(job.to, job.contents);
        return null;
      case "previewImport":
        return previewImport(job);
      case "past":
        writePastFile(job.from, job.to, job.state);
        return null;
      case "states":
        return listStatesOfFile(job.to);
      case "import":
        report("writing", 0, null);
        return importDocumentFile(job.from.path, job.to, { formulas: job.formulas });
      case "stage":
        return await stageFile(job, report);
      case "fill":
        return createDocumentFromTables(job.to, job.file, {
          nowMs: job.nowMs,
          onRows: (done, total) => report("writing", done, total),
        });
      case "template":
        return await createFromTemplate(job);
      case "preview":
        return previewDocumentFromTables(job.file);
      default:
        return job satisfies never;
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "ENOSPC" || code === "EDQUOT") throw new AppError("storage", "The disk is full", { cause: error });
    throw error;
  }
}

type Report = SharedJob["report"];

/** Loads the templates on first use. */
async function createFromTemplate({ to, name, nowMs }: Extract<FileJob, { kind: "template" }>): Promise<null> {
  const { createDocumentFromTemplate } = await import("../../doc/templates/create-from-template.ts");
  createDocumentFromTemplate(to, name, { nowMs });
  return null;
}

async function stageFile(job: Extract<FileJob, { kind: "stage" }>, report: Report): Promise<StagedTable[]> {
  const { from, choices, to, maxBytes } = job;
  report("reading", 0, null);
  const format = await detectFileFormat(from.path, from.name);
  if (format.kind === "document")
    throw invalidFile("The file is a whole document: its tables cannot be imported into another document");
  const onRead = (done: number, total: number) => report("reading", done, total);
  const file = { name: titleOf(from.name), choices, onRead };
  if (!format.isGzipped) return stageTables(format.reader, { ...file, path: from.path }, to);
  // Readers read a file more than once.
  const path = `${to}.unpacked`;
  await gunzipFile(from.path, path, { maxBytes });
  try {
    await checkUnpacked(path);
    return await stageTables(format.reader, { ...file, path }, to);
  } finally {
    await rm(path, { force: true });
  }
}
