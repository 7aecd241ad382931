import type { DocumentGrant } from "../../../authorization.ts";
import { frozenError } from "../../../errors.ts";
import { FROZEN } from "../../../errors/frozen-messages.ts";
import { Catalog } from "../../actions/catalog.ts";
import type { OpenDocument } from "../../document.ts";
import { isHiddenColumn } from "../../schema.ts";
import type { DocumentChanges } from "../../history/changes.ts";
import { UndoDraft } from "../draft.ts";
import { resolveSince } from "../own-changes.ts";
import type { PlannedUndo } from "../plan-undo.ts";
import { PresentReader } from "../present-rows.ts";
import { settleDraft } from "../settle-draft.ts";
import { changesOfTable, changesSince } from "./changes-since.ts";
import { planReferences } from "./plan-references.ts";
import { RowPlanner } from "./plan-rows.ts";
import type { RestoreRequest } from "./restore-request.ts";

export type { RestoreRequest } from "./restore-request.ts";

/**
 * Plans the return of cells and rows to what they were at a state, as the present document and the caller's rights allow it.
 * Changes nothing.
 * @throws AppError as `resolveSince` and `changesSince`; `undo.too_large`; for tables and columns that never existed
 */
export function planRestore(document: OpenDocument, grant: DocumentGrant, request: RestoreRequest): PlannedUndo {
  const since = resolveSince(document, request.state);
  const changes = changesSince(document, since);
  const { unchangedSince } = request;
  const later = unchangedSince === undefined ? null : changesSince(document, resolveSince(document, unchangedSince));
  const { db, schema } = document;
  const catalog = new Catalog(schema);
  const draft = new UndoDraft(db, catalog);
  const reader = new PresentReader(document, grant, catalog);
  const table = schema.tableById.get(request.table);
  if (!table?.isStored) planMissingTable(draft, changes, request.table);
  else if (table.summarySourceTable > 0) draft.conflict({ table: table.id, reason: "computed" });
  else {
    const columns = requestedColumns(document, draft, { request, changes });
    const planner = new RowPlanner({ draft, reader, changes, later, table, columns }, request);
    planner.plan();
    const { renumbered } = planner;
    if (request.references !== false) planReferences(draft, { changes, catalog, reader, target: table.id, renumbered });
  }
  const wording = { done: "restored", remedy: "name fewer rows or columns" };
  settleDraft(draft, { document, grant, catalog, reader, wording });
  return { since, draft };
}

function planMissingTable(draft: UndoDraft, changes: DocumentChanges, id: string): void {
  const isRemoved = [...changes.all].some(({ last, after }) => after === null && last === id);
  if (!isRemoved) throw frozenError(FROZEN.tableNotFound, id);
  draft.conflict({ table: id, reason: "table_removed" });
}

/** Returns the columns to restore that exist; null for all that hold data. */
function requestedColumns(
  { schema }: OpenDocument,
  draft: UndoDraft,
  { request: { table, columns }, changes }: { request: RestoreRequest; changes: DocumentChanges },
): ReadonlySet<string> | null {
  if (columns === undefined) return null;
  const known = schema.tableById.get(table)?.columnById;
  const former = [...(changesOfTable(changes, table)?.changes.columns.all ?? [])];
  const existing = columns.filter((column) => {
    if (known?.has(column) && !isHiddenColumn(column)) return true;
    const isRemoved = former.some(({ last, after }) => after === null && last === column);
    if (!isRemoved) throw frozenError(FROZEN.invalidColumn, column);
    draft.conflict({ table, column, reason: "column_removed" });
    return false;
  });
  return new Set(existing);
}
