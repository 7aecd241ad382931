import type { DocumentGrant } from "../../authorization.ts";
import type { FormulaLimits } from "../../doc/document.ts";
import { onCopy } from "../../doc/dry-run/on-copy.ts";
import { type DryRunReport, runDry } from "../../doc/dry-run/run-dry.ts";
import { checkVerbAccess } from "../verbs/check-access.ts";
import { importVerbs } from "../verbs/imports.ts";
import type { VerbArgs } from "../verbs/verbs.ts";

export interface ImportPreviewJob {
  /** The document's file, which may be open. */
  readonly from: string;
  /** A temporary file. */
  readonly to: string;
  readonly grant: DocumentGrant;
  readonly args: Omit<VerbArgs<"tables.import">, "dryRun">;
  readonly formulas?: FormulaLimits | undefined;
}

/** How long the change itself may take; nothing waits for it. */
const MAX_MS = 60_000;

/** Returns what an import would do, from a copy of the document. */
export function previewImport({ from, to, grant, args, formulas }: ImportPreviewJob): DryRunReport {
  const verb = importVerbs["tables.import"];
  const options = { durability: "normal", ...(formulas && { formulas }) } as const;
  return onCopy({ from, to, options }, (document) => {
    checkVerbAccess(document, grant, verb);
    return runDry(document, grant, () => verb.run(document, grant, { ...args, dryRun: false }), { maxMs: MAX_MS });
  });
}
