import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { checkAppendSize, currencyIn, planNewTables, planAppend } from "../../doc/import-plan.ts";
import { Change } from "../../doc/actions/change.ts";
import { appendActions, newTableActions, type ImportActions } from "../../doc/import-actions.ts";
import { reportAppend, reportNewTable, type TableReport } from "../../doc/import-report.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import { userInfo } from "../../doc/user-info.ts";
import { invalid, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { withZone, type TypedFile } from "../../exchange/infer-tables.ts";
import { verb } from "./verb.ts";
import { applyAsCaller } from "./apply-actions.ts";

interface ImportArgs {
  readonly file: TypedFile;
  /** True when the request names the time zone of times; otherwise the document's zone applies. */
  readonly hasZone: boolean;
  /** Appends the rows to this table; if absent, each table of the file becomes a new one. */
  readonly into?: string | undefined;
  readonly addColumns: boolean;
  /** Only reports what would be done. */
  readonly dryRun: boolean;
}

/** What an import does, or would do. */
export interface ImportReport {
  readonly decimal: string;
  readonly dates: string | null;
  readonly tables: readonly TableReport[];
}

/** Verbs that import the tables of a file into a document, all or nothing. */
export const importVerbs = {
  "tables.import": verb({
    needs: "editors",
    changes: "content",
    underRules: "enforced",
    run(document, grant, args: ImportArgs): ImportReport {
      const { decimal, order: dates } = args.file.conventions;
      return { tables: importTables(document, grant, args), decimal, dates };
    },
  }),
};

function importTables(document: OpenDocument, grant: DocumentGrant, args: ImportArgs): ImportReport["tables"] {
  const { tables, conventions } = args.hasZone ? args.file : withZone(args.file, document.timezone);
  checkAppendSize(tables);
  const { schema } = document;
  const currency = currencyIn(document.documentSettings);
  if (args.into === undefined) {
    const takenIds = schema.tables.map(({ id }) => id);
    const planned = planNewTables(takenIds, tables, currency).map((table) => ({ table, ...newTableActions(table) }));
    if (!args.dryRun) {
      const actions = planned.flatMap((one) => one.actions);
      apply(document, grant, { actions, types: new Map() });
    }
    return planned.map(({ table, cells }) => reportNewTable(table, cells));
  }
  const [staged, secondTable] = tables;
  if (!staged || secondTable) throw invalid("The file has several tables: choose one with sheet");
  // The report describes the table, so only callers who can see the table get it.
  if (!schema.tableById.has(args.into)) throw frozenError(FROZEN.tableNotFound, args.into);
  const visibleTable = visibilityFor(document, grant).userTable(args.into);
  const planned = planAppend(schema, { visibleTable, staged, addColumns: args.addColumns, currency });
  const change = new Change(document, { parse: true, user: userInfo(grant), nowMs: document.clock.now() });
  const addition = appendActions(planned, conventions, change);
  if (!args.dryRun) apply(document, grant, addition);
  return [reportAppend(planned, addition.cells)];
}

function apply(
  document: OpenDocument,
  grant: DocumentGrant,
  { actions, types }: Pick<ImportActions, "actions" | "types">,
): void {
  applyAsCaller(document, grant, actions, { noparse: false, keepsTexts: true, emptyColumns: types, isJob: true });
}
