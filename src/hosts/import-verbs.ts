import type { DocumentGrant } from "../access.ts";
import type { OpenDocument } from "../doc/document.ts";
import { checkAdditionSize, currencyIn, newTables, planAddition } from "../doc/import-plan.ts";
import { Change } from "../doc/actions/change.ts";
import { actionsOfAddition, actionsOfNew, type ImportActions } from "../doc/import-actions.ts";
import { reportAddition, reportNew, type TableReport } from "../doc/import-report.ts";
import { seenBy } from "../doc/read/seen.ts";
import { userInfo } from "../doc/user-info.ts";
import { invalid, refused } from "../errors.ts";
import { FROZEN } from "../errors/frozen-sentences.ts";
import { withZone, type TypedFile } from "../exchange/decide-tables.ts";
import { verb } from "./verb.ts";
import { applyFor } from "./write.ts";

interface ImportArgs {
  readonly file: TypedFile;
  /** True where the request names the zone of times; otherwise it is that of the document. */
  readonly hasZone: boolean;
  /** Adds the rows to this table; without it each table of the file becomes a new one. */
  readonly into?: string | undefined;
  readonly addColumns: boolean;
  /** Only tells what would be done. */
  readonly dryRun: boolean;
}

/** What an import does, or would do. */
export interface ImportReport {
  readonly tables: readonly TableReport[];
}

/** The verbs that take the tables of a file into a document: all or nothing. */
export const importVerbs = {
  "tables.import": verb({ needs: "editors", underRules: "kept", run: importTables }),
};

function importTables(document: OpenDocument, grant: DocumentGrant, args: ImportArgs): ImportReport {
  const { tables, conventions } = args.hasZone ? args.file : withZone(args.file, document.timezone);
  checkAdditionSize(tables);
  const { schema } = document;
  const currency = currencyIn(document.documentSettings);
  if (args.into === undefined) {
    const taken = schema.tables.map(({ id }) => id);
    const planned = newTables(taken, tables, currency).map((table) => ({ table, ...actionsOfNew(table) }));
    if (!args.dryRun) {
      const actions = planned.flatMap((one) => one.actions);
      apply(document, grant, { actions, types: new Map() });
    }
    return { tables: planned.map(({ table, cells }) => reportNew(table, cells)) };
  }
  const [staged, second] = tables;
  if (!staged || second) throw invalid("The file has several tables: name the one to take with sheet");
  // What would be done tells of the table, so it is told to those who see it.
  if (!schema.tableById.has(args.into)) throw refused(FROZEN.tableNotFound, args.into);
  const seen = seenBy(document, grant).userTable(args.into);
  const planned = planAddition(schema, { seen, staged, addColumns: args.addColumns, currency });
  const change = new Change(document, { parse: true, user: userInfo(grant), nowMs: document.clock.now() });
  const addition = actionsOfAddition(planned, conventions, change);
  if (!args.dryRun) apply(document, grant, addition);
  return { tables: [reportAddition(planned, addition.cells)] };
}

function apply(
  document: OpenDocument,
  grant: DocumentGrant,
  { actions, types }: Pick<ImportActions, "actions" | "types">,
): void {
  applyFor(document, grant, actions, { noparse: false, keepsTexts: true, emptyColumns: types, isJob: true });
}
