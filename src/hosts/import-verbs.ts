import type { DocumentGrant } from "../access.ts";
import type { UserAction } from "../doc/actions/engine.ts";
import type { OpenDocument } from "../doc/document.ts";
import {
  checkAdditionSize,
  columnSpec,
  newTables,
  planAddition,
  type PlannedAddition,
  type PlannedTable,
} from "../doc/import-plan.ts";
import { actionsOfAddition, actionsOfNew } from "../doc/import-actions.ts";
import { seenBy } from "../doc/read/seen.ts";
import { invalid, refused } from "../errors.ts";
import { FROZEN } from "../errors/frozen-sentences.ts";
import type { StagedTable } from "../exchange/staging.ts";
import { verb } from "./verb.ts";
import { applyFor } from "./write.ts";

interface ImportArgs {
  readonly tables: readonly StagedTable[];
  /** Adds the rows to this table; without it each table of the file becomes a new one. */
  readonly into?: string | undefined;
  readonly addColumns: boolean;
  /** Only tells what would be done. */
  readonly dryRun: boolean;
}

/** What an import does, or would do. */
export interface ImportReport {
  readonly tables: readonly {
    readonly id: string;
    readonly name: string;
    readonly isNew: boolean;
    readonly rows: number;
    readonly columns: readonly ImportedColumn[];
  }[];
}

interface ImportedColumn {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  /** `skipped`: computed in the table, and so not taken from the file. */
  readonly kind: "new" | "existing" | "skipped";
}

/** The verbs that take the tables of a file into a document: all or nothing. */
export const importVerbs = {
  "tables.import": verb({ needs: "editors", underRules: "kept", run: importTables }),
};

function importTables(document: OpenDocument, grant: DocumentGrant, args: ImportArgs): ImportReport {
  checkAdditionSize(args.tables);
  if (args.into === undefined) {
    const planned = newTables(document.schema, args.tables);
    if (!args.dryRun) apply(document, grant, planned.flatMap(actionsOfNew));
    return { tables: planned.map(reportNew) };
  }
  const [staged, second] = args.tables;
  if (!staged || second) throw invalid("The file has several tables: name the one to take with sheet");
  // What would be done tells of the table, so it is told to those who see it.
  if (!document.schema.tableById.has(args.into)) throw refused(FROZEN.tableNotFound, args.into);
  const seen = seenBy(document, grant).userTable(args.into);
  const planned = planAddition(document.schema, { seen, staged, addColumns: args.addColumns });
  if (!args.dryRun) apply(document, grant, actionsOfAddition(planned));
  return { tables: [reportAddition(planned)] };
}

const apply = (document: OpenDocument, grant: DocumentGrant, actions: readonly UserAction[]): void =>
  void applyFor(document, grant, actions, { noparse: false, isJob: true });

const reportNew = ({ id, staged, columns }: PlannedTable) => ({
  id,
  name: staged.name,
  isNew: true,
  rows: staged.rowCount,
  columns: columns.map((column) => ({ id: column.id, ...shown(columnSpec(column)), kind: "new" as const })),
});

function reportAddition({ table, staged, matched, added, skipped }: PlannedAddition) {
  const existing = ({ column }: { column: { id: string; label: string; type: string } }) => ({
    id: column.id,
    label: column.label,
    type: column.type,
  });
  return {
    id: table.id,
    name: staged.name,
    isNew: false,
    rows: staged.rowCount,
    columns: [
      ...matched.map((pair) => ({ ...existing(pair), kind: "existing" as const })),
      ...added.map((column) => ({ id: column.id, ...shown(columnSpec(column)), kind: "new" as const })),
      ...skipped.map((pair) => ({ ...existing(pair), kind: "skipped" as const })),
    ],
  };
}

const shown = ({ label, type }: { label: string; type: string }) => ({ label, type });
