import { copyDocumentFile, type CopyOptions } from "../doc/copy.ts";
import { type ImportedCounts, importDocumentFile } from "../doc/import.ts";

/** Work on whole files, which takes long when they are large. */
export type FileJob =
  | { readonly kind: "copy"; readonly from: string; readonly to: string; readonly options: CopyOptions }
  | { readonly kind: "import"; readonly from: string; readonly to: string };

/** @throws AppError as the functions named after the kinds of jobs */
export function runFileJob(job: FileJob): ImportedCounts | null {
  switch (job.kind) {
    case "copy":
      copyDocumentFile(job.from, job.to, job.options);
      return null;
    case "import":
      return importDocumentFile(job.from, job.to);
    default:
      return job satisfies never;
  }
}
