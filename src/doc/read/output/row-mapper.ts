import { columnFormatter } from "../../../exchange/column-formatter.ts";
import { CELL_CODES, errorNameOf, isCoded, isErrorCell, type CellValue } from "../../../values/cell.ts";
import { createRecordMapper, storedFieldIds } from "../cell-format.ts";
import { exportColumns, toExportColumn } from "../exported-table.ts";
import type { ReadField, ReadTable } from "../read-table.ts";
import type { Row } from "../row-scan.ts";
import type { VisibilityFilter } from "../visibility-filter.ts";
import { isoCell } from "./iso-cells.ts";
import type { OutputCells } from "./output-request.ts";

/** A record ready for JSON. */
export interface OutputRecord {
  readonly id: unknown;
  readonly fields: Record<string, unknown>;
  errors?: Record<string, string>;
}

/** Converts rows that consist of the id and these columns. */
export interface RowMapper {
  readonly columns: readonly string[];
  readonly toRecord: (row: Row) => OutputRecord;
}

/** Creates the conversion of some columns of a table. */
export function createRowMapper(
  visibility: VisibilityFilter,
  table: ReadTable,
  { fields, cells }: { fields: readonly ReadField[]; cells: OutputCells },
): RowMapper {
  if (cells === "display") return displayMapper(visibility, table, fields) ?? isoMapper(fields);
  if (cells === "iso") return isoMapper(fields);
  return { columns: storedFieldIds(fields), toRecord: createRecordMapper(fields, cells) };
}

/** Texts as the grid shows them. Null for metadata tables, which have no grid. */
function displayMapper(
  visibility: VisibilityFilter,
  { id }: ReadTable,
  fields: readonly ReadField[],
): RowMapper | null {
  const { document } = visibility;
  if (!document.schema.tableById.has(id)) return null;
  const table = visibility.userTable(id);
  const chosen = fields.flatMap((field) => table.columnById.get(field.id) ?? []).map(toExportColumn);
  const { exported, stored } = exportColumns(visibility, table, chosen);
  const { formatSettings } = document;
  const formats = exported.map((column) => [column.id, columnFormatter(column, formatSettings)] as const);
  return {
    columns: stored,
    toRecord: (row) => ({
      id: row[0],
      fields: Object.fromEntries(formats.map(([name, format]) => [name, format(row)])),
    }),
  };
}

/** The name under which a record lists a cell that rules hide, where the form of cells has no mark for it. */
const CENSORED = "Censored";

function isoMapper(fields: readonly ReadField[]): RowMapper {
  const columns = storedFieldIds(fields);
  const readers = fields.map((field) => {
    const at = columns.indexOf(field.id) + 1;
    const { type, absent } = field;
    const read = (row: Row): CellValue => absent ?? (at === 0 ? null : type.decodeRaw(row[at] ?? null));
    return { id: field.id, read, convert: isoCell(type) };
  });
  return {
    columns,
    toRecord(row) {
      let errors: Record<string, string> | undefined;
      const values = readers.map(({ id, read, convert }) => {
        const value = read(row);
        const name = errorName(value);
        if (name !== null) (errors ??= Object.create(null) as Record<string, string>)[id] = name;
        return [id, convert(value)] as const;
      });
      const record = { id: row[0], fields: Object.fromEntries(values) };
      return errors ? { ...record, errors } : record;
    },
  };
}

function errorName(value: CellValue): string | null {
  if (isErrorCell(value)) return errorNameOf(value);
  return isCoded(value) && value[0] === CELL_CODES.censored ? CENSORED : null;
}
