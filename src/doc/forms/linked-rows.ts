import type { DocumentGrant } from "../../authorization.ts";
import { type CellValue, isErrorCell } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { OpenDocument } from "../document.ts";
import { MATCH_ALL } from "../filters/sql-condition.ts";
import { findReadTable } from "../read/read-table.ts";
import { RowScan } from "../read/row-scan.ts";
import { OFFER_LIMITS } from "./offered-rows.ts";
import { isOpen, noFormAccess, publishedForms } from "./published-forms.ts";

/** A row as callers over a link read it. */
export interface LinkedRecord {
  readonly id: number;
  readonly fields: Readonly<Record<string, CellValue>>;
}

const SCAN_SIZE = 1000;

/**
 * Returns the first rows of a table that references in the published forms of a link refer to, in the order of their ids and as
 * many as a question offers, with the columns that they display. The table of a form itself reads as empty.
 * @throws AppError `form.link_only` for all other tables, whether or not they exist
 */
export function readLinkedRows(document: OpenDocument, grant: DocumentGrant, name: string): LinkedRecord[] {
  const { schema } = document;
  const table =
    schema.tableById.get(name) ?? (/^\d{1,15}$/.test(name) ? schema.tableByRef.get(Number(name)) : undefined);
  const forms = publishedForms(document, grant).filter((form) => isOpen(document, form));
  if (!table) throw noFormAccess();
  const references = forms
    .flatMap(({ fields }) => fields.map(({ column }) => column))
    .filter(({ type }) => ["Ref", "RefList"].includes(columnType(type).base) && columnType(type).target === table.id);
  if (references.length === 0) {
    if (forms.some((form) => form.table.ref === table.ref)) return [];
    throw noFormAccess();
  }
  const read = findReadTable(schema, table.id);
  const shown = [...new Set(references.flatMap(({ visibleCol }) => read.fieldByRef.get(visibleCol) ?? []))];
  const stored = shown.filter(({ absent }) => absent === undefined);
  const selection = {
    where: MATCH_ALL,
    order: { kind: "id", descending: false },
    limit: OFFER_LIMITS.maxRows,
    visibleRows: null,
  } as const;
  const scan = new RowScan({ db: document.db }, { table: read, columns: stored.map(({ id }) => id), selection });
  const records: LinkedRecord[] = [];
  for (let rows = scan.take(SCAN_SIZE); rows.length > 0; rows = scan.take(SCAN_SIZE)) {
    for (const [id, ...cells] of rows) {
      const fields = stored.map((field, at) => [field.id, shownCell(field.type.decode(cells[at] ?? null))] as const);
      records.push({ id: Number(id), fields: Object.fromEntries(fields) });
    }
  }
  return records;
}

/** Messages of errors can have other cells in them. */
const shownCell = (value: CellValue): CellValue => (isErrorCell(value) ? null : value);
