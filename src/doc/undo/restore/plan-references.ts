import type { CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { Catalog } from "../../actions/catalog.ts";
import { targetsOf } from "../../actions/references/two-way-references.ts";
import type { DocumentChanges } from "../../history/changes.ts";
import type { UndoDraft } from "../draft.ts";
import type { PresentReader } from "../present-rows.ts";
import { changesOfColumn, changesOfTable, formerColumnField } from "./changes-since.ts";

interface ReferenceOptions {
  readonly changes: DocumentChanges;
  readonly catalog: Catalog;
  readonly reader: PresentReader;
  /** The table of the rows that return. */
  readonly target: string;
  /** Ids of rows that return under another id than their former one: no reference was to them. */
  readonly renumbered: ReadonlySet<number>;
}

/**
 * Sets references again that the deletion of rows cleared: cells that referred to a row that returns, and since then lost
 * nothing but such rows.
 */
export function planReferences(
  draft: UndoDraft,
  { changes, catalog, reader, target, renumbered }: ReferenceOptions,
): void {
  const restored = new Set(draft.restored.get(target)?.keys()).difference(renumbered);
  if (restored.size === 0) return;
  for (const table of catalog.userTables()) {
    for (const { id: column, isFormula, isStored, kind } of table.columns.values()) {
      if (isFormula || !isStored || kind.target !== target) continue;
      const cells = changesOfColumn(changesOfTable(changes, table.id), column)?.cells;
      if (!cells || isConverted(changes, reader, table.id, column)) continue;
      const candidates = [...cells].flatMap(([row, { before }]) => {
        const to = (before?.[0] ?? null) as CellValue;
        return targetsOf(to).some((id) => restored.has(id)) ? [{ row, to }] : [];
      });
      const present = reader.read(
        table.id,
        candidates.map(({ row }) => row),
        [column],
      );
      for (const { row, to } of candidates) {
        const from = present?.cell(row, column);
        if (from === undefined) continue;
        const kept = targetsOf(to).filter((id) => !restored.has(id));
        const isSame = JSON.stringify(targetsOf(from)) === JSON.stringify(kept);
        if (isSame) draft.revertCell(table.id, column, row, { from, to });
      }
    }
  }
}

function isConverted(changes: DocumentChanges, { document }: PresentReader, table: string, column: string): boolean {
  const info = document.schema.tableById.get(table)?.columnById.get(column);
  const former = info && formerColumnField(changes, info.ref, "type");
  return typeof former === "string" && columnType(former).base !== columnType(info?.type ?? "Any").base;
}
