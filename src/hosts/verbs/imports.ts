import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { checkAppendSize, currencyIn, planNewTables, planAppend } from "../../doc/import-plan.ts";
import { Change } from "../../doc/actions/change.ts";
import { appendActions, appendReaders, newTableActions, type ImportActions } from "../../doc/import-actions.ts";
import type { ColumnMapping } from "../../doc/import-columns.ts";
import { addedOnly, type MergeActions, mergeActions, type MergeOptions } from "../../doc/import-merge.ts";
import { importSize, type ImportSize } from "../../doc/import-size.ts";
import { reportAppend, reportNewTable, type TableReport } from "../../doc/import-report.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import { userInfo } from "../../doc/user-info.ts";
import { invalid, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { withZone, type TypedFile } from "../../exchange/infer-tables.ts";
import { SharedJob, type SharedJobMemory } from "../../lib/concurrency/shared-job.ts";
import { throwIfCancelled } from "../job-control.ts";
import { verb } from "./verb.ts";
import { applyAsCaller } from "./apply-actions.ts";
import { appliedAnswer } from "./writes.ts";

interface ImportArgs {
  readonly file: TypedFile;
  /** True when the request names the time zone of times; otherwise the document's zone applies. */
  readonly hasZone: boolean;
  /** Appends the rows to this table; if absent, each table of the file becomes a new one. */
  readonly into?: string | undefined;
  readonly addColumns: boolean;
  /** Columns of the table by labels of columns of the file. */
  readonly columns?: ColumnMapping | undefined;
  /** Updates rows of the table; if absent, all rows are added. */
  readonly merge?: MergeOptions | undefined;
  /** Reports the new state, or of a dry run the size of the change. */
  readonly reportsChange?: boolean | undefined;
  /** Only reports what would be done. */
  readonly dryRun: boolean;
  /** The memory of its `SharedJob`. */
  readonly job?: SharedJobMemory | undefined;
}

/** What an import does, or would do. */
export interface ImportReport extends Partial<ImportState> {
  readonly decimal: string;
  readonly dates: string | null;
  readonly tables: readonly TableReport[];
}

interface ImportState {
  readonly actionNum: number;
  readonly actionHash: string | null;
  readonly isModification: boolean;
  readonly size: ImportSize;
}

/** Verbs that import the tables of a file into a document, all or nothing. */
export const importVerbs = {
  "tables.import": verb({
    needs: "editors",
    changes: "content",
    underRules: "enforced",
    run(document, grant, args: ImportArgs): ImportReport {
      const { decimal, order: dates } = args.file.conventions;
      const job = new SharedJob(args.job);
      const checkCancelled = () => throwIfCancelled(job);
      checkCancelled();
      job.report("writing", 0, null);
      const { tables, change } = importTables(document, grant, args);
      checkCancelled();
      const { dryRun, reportsChange = false } = args;
      const keptBytes = document.historyLimits.bytes;
      if (dryRun) return { tables, decimal, dates, ...(reportsChange && { size: importSize(change, keptBytes) }) };
      const { retValues: _, ...state } = appliedAnswer(
        document,
        grant,
        apply(document, grant, { ...change, checkCancelled }),
      );
      return { tables, decimal, dates, ...(reportsChange && state) };
    },
  }),
};

interface PlannedImport {
  readonly tables: ImportReport["tables"];
  readonly change: Pick<ImportActions, "actions" | "types"> & Partial<Pick<MergeActions, "replaced">>;
}

function importTables(document: OpenDocument, grant: DocumentGrant, args: ImportArgs): PlannedImport {
  const { tables, conventions } = args.hasZone ? args.file : withZone(args.file, document.timezone);
  checkAppendSize(tables);
  if (args.into !== undefined)
    return importIntoTable(document, grant, { ...args, into: args.into, file: { tables, conventions } });
  const takenIds = document.schema.tables.map(({ id }) => id);
  const currency = currencyIn(document.documentSettings);
  const planned = planNewTables(takenIds, tables, currency).map((table) => ({ table, ...newTableActions(table) }));
  return {
    tables: planned.map(({ table, cells }) => ({
      ...reportNewTable(table, cells),
      ...(args.reportsChange && addedOnly(table.staged.rowCount)),
    })),
    change: { actions: planned.flatMap((one) => one.actions), types: new Map() },
  };
}

function importIntoTable(
  document: OpenDocument,
  grant: DocumentGrant,
  { file, into, columns, addColumns, merge, reportsChange = false }: ImportArgs & { readonly into: string },
): PlannedImport {
  const { schema } = document;
  const [staged, secondTable] = file.tables;
  if (!staged || secondTable) throw invalid("The file has several tables: choose one with sheet");
  // The report describes the table, so only callers who can see the table get it.
  if (!schema.tableById.has(into)) throw frozenError(FROZEN.tableNotFound, into);
  const visibleTable = visibilityFor(document, grant).userTable(into);
  const currency = currencyIn(document.documentSettings);
  const planned = planAppend(schema, { visibleTable, staged, columns, addColumns, currency });
  const options = { parse: true, user: userInfo(grant), nowMs: document.clock.now() };
  const readers = appendReaders(planned, file.conventions, new Change(document, options));
  if (!merge) {
    const change = appendActions(planned, readers);
    const counts = (reportsChange || columns !== undefined) && addedOnly(staged.rowCount);
    return { tables: [{ ...reportAppend(planned, change.cells), ...counts }], change };
  }
  const change = mergeActions(planned, readers, merge, new Change(document, { ...options, keepsTexts: true }));
  return { tables: [{ ...reportAppend(planned, change.cells), ...change.counts }], change };
}

function apply(
  document: OpenDocument,
  grant: DocumentGrant,
  { actions, types, checkCancelled }: PlannedImport["change"] & { checkCancelled: () => void },
) {
  const options = { noparse: false, keepsTexts: true, emptyColumns: types, isJob: true, checkCancelled };
  return applyAsCaller(document, grant, actions, options);
}
