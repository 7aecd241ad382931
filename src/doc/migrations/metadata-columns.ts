/** Migration steps of columns: their types, formulas, options and display columns. */
import { quote } from "../../sqlite/quote.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import { columnType, type ColumnType } from "../../values/column-type.ts";
import { pickColumnId } from "../identifiers.ts";
import { isHelperColumn } from "./remove-orphans.ts";
import { integer, jsonObject, type MetadataRow, type MetadataRows, flag, refs, text } from "./metadata-rows.ts";
import { addPendingColumn } from "./storage.ts";
import { hasColumn, hasTable, rebuildTable, storedColumns } from "./stored-tables.ts";

/** 3: type Derived becomes Any; lookups that add rows name their arguments. */
export function renameDerivedType(metadata: MetadataRows): void {
  for (const column of metadata.all("_grist_Tables_column")) {
    if (text(column["type"]) === "Derived") metadata.update("_grist_Tables_column", column.id, { type: "Any" });
    const formula = text(column["formula"]);
    const named = nameLookupArguments(formula);
    if (named !== formula) metadata.update("_grist_Tables_column", column.id, { formula: named });
  }
}

/** Rewrites `T.lookupOrAddDerived($City)` to `T.lookupOrAddDerived(City=$City)`. */
export function nameLookupArguments(formula: string): string {
  let named = "";
  let at = 0;
  for (const call of formula.matchAll(/\.lookupOrAddDerived\s*\(/g)) {
    const start = call.index + call[0].length;
    const ends = argumentEnds(formula, start);
    named += formula.slice(at, start);
    at = start;
    for (const end of ends) {
      const comma = at === start ? "" : ",";
      const argument = formula.slice(at + comma.length, end);
      named += comma + argument.replace(/^(\s*)\$(\w+)(\s*)$/, "$1$2=$$$2$3");
      at = end;
    }
  }
  return named + formula.slice(at);
}

/** Returns the end of each argument of a call, the first beginning at `start`: at a comma or the closing bracket. */
function argumentEnds(formula: string, start: number): number[] {
  const ends: number[] = [];
  const tokens = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[()[\]{},]/g;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(formula); token; token = tokens.exec(formula)) {
    if (depth === 0 && /^[,)]/.test(token[0])) ends.push(token.index);
    if (depth === 0 && token[0] === ")") break;
    if (/^[([{]/.test(token[0])) depth++;
    if (/^[)\]}]/.test(token[0])) depth--;
  }
  return ends;
}

/** 10: references with a display column given by name get a hidden formula column that computes the displayed value. */
export function addDisplayColumns(metadata: MetadataRows): void {
  const tables = tableIds(metadata);
  const columns = metadata.all("_grist_Tables_column");
  for (const column of columns) {
    const shown = jsonObject(column["widgetOptions"])?.["visibleCol"];
    const table = tables.get(integer(column["parentId"]));
    if (!table || !isReference(column) || integer(column["displayCol"]) !== 0) continue;
    if (typeof shown !== "string" || shown === "") continue;
    const id = freeHelperId(columns, column);
    const values = {
      parentId: integer(column["parentId"]),
      parentPos: 1,
      colId: id,
      type: "Any",
      isFormula: true,
      formula: `$${text(column["colId"])}.${shown}`,
      label: id,
    };
    const ref = metadata.add("_grist_Tables_column", values);
    columns.push({ id: ref, ...values });
    metadata.update("_grist_Tables_column", column.id, { displayCol: ref });
    if (hasTable(metadata.db, table) && !hasColumn(metadata.db, table, id)) {
      addPendingColumn(metadata.db, table, { id, type: "Any" });
    }
  }
}

function freeHelperId(columns: readonly MetadataRow[], column: MetadataRow): string {
  const siblings = columns.filter((other) => other["parentId"] === column["parentId"]);
  return pickColumnId(
    "gristHelper_Display",
    siblings.map((other) => text(other["colId"])),
  );
}

/**
 * Renames hidden columns of one table with equal ids, which step 10 was known to create. Nothing refers to them by id.
 */
export function numberEqualHelpers(metadata: MetadataRows): void {
  const columns = metadata.all("_grist_Tables_column");
  for (const siblings of Map.groupBy(columns, (column) => column["parentId"]).values()) {
    const taken = new Set(siblings.map((column) => text(column["colId"])));
    const seen = new Set<string>();
    for (const column of siblings) {
      const id = text(column["colId"]);
      if (isHelperColumn(id) && seen.has(id.toLowerCase())) {
        const colId = pickColumnId(id, taken);
        taken.add(colId);
        metadata.update("_grist_Tables_column", column.id, { colId, label: colId });
      }
      seen.add(id.toLowerCase());
    }
  }
}

/** 16: the display column of references moves from the options, where it is a name, to a reference. */
export function referToVisibleColumns(metadata: MetadataRows): void {
  const columns = metadata.all("_grist_Tables_column");
  const columnByRef = new Map(columns.map((column) => [column.id, column]));
  const tables = tableIds(metadata);
  const refByName = new Map(
    columns.map((column) => [`${tables.get(integer(column["parentId"]))}.${text(column["colId"])}`, column.id]),
  );
  const move = (table: string, row: MetadataRow, column: MetadataRow | undefined): void => {
    const options = jsonObject(row["widgetOptions"]);
    if (!column || !isReference(column) || !options) return;
    const { visibleCol: name, ...otherOptions } = options;
    const target = text(column["type"]).slice("Ref:".length);
    const ref = name === "id" ? 0 : refByName.get(`${target}.${String(name)}`);
    if (typeof name !== "string" || ref === undefined) return;
    metadata.update(table, row.id, { visibleCol: ref, widgetOptions: JSON.stringify(otherOptions) });
  };
  for (const column of columns) move("_grist_Tables_column", column, column);
  for (const field of metadata.all("_grist_Views_section_field")) {
    move("_grist_Views_section_field", field, columnByRef.get(integer(field["colRef"])));
  }
}

/** 17: columns with a single image become lists of attachments. */
export function turnImagesIntoAttachments(metadata: MetadataRows): void {
  const tables = tableIds(metadata);
  for (const column of metadata.all("_grist_Tables_column")) {
    if (text(column["type"]) !== "Image") continue;
    metadata.update("_grist_Tables_column", column.id, { type: "Attachments" });
    const table = tables.get(integer(column["parentId"])) ?? "";
    const id = text(column["colId"]);
    if (flag(column["isFormula"]) || !hasColumn(metadata.db, table, id)) continue;
    rewriteCells(metadata, { table, id, where: "true", from: columnType("Int"), convert: imageToList });
  }
}

const imageToList = (image: CellValue): CellValue =>
  typeof image === "number" && Number.isInteger(image) && image > 0 ? ["L", image] : null;

/** 28: attachment lists are stored as JSON. */
export function storeAttachmentsAsJson(metadata: MetadataRows): void {
  const attachments = columnType("Attachments");
  const tables = tableIds(metadata);
  const columnsByTable = Map.groupBy(
    metadata.all("_grist_Tables_column").filter((column) => text(column["type"]) === "Attachments"),
    (column) => tables.get(integer(column["parentId"])) ?? "",
  );
  for (const [table, columns] of columnsByTable) {
    if (!hasTable(metadata.db, table)) continue;
    const ids = new Set(columns.map((column) => text(column["colId"]).toLowerCase()));
    const stored = storedColumns(metadata.db, table);
    const changed = stored.filter((column) => ids.has(column.id.toLowerCase()) && column.type !== "TEXT");
    if (changed.length === 0) continue;
    for (const { id } of changed) {
      // Values other than text are converted to the format of a TEXT column before the column becomes one.
      const where = `typeof(${quote(id)}) not in ('null', 'text')`;
      rewriteCells(metadata, { table, id, where, from: attachments, convert: emptyToNull });
    }
    rebuildTable(
      metadata.db,
      table,
      stored.map((column) => (changed.includes(column) ? { ...column, type: "TEXT", default: null } : column)),
    );
  }
}

/** 29: conditional formats that are not columns of the same table are dropped, with their styles. */
export function dropForeignRules(metadata: MetadataRows): void {
  const columns = metadata.all("_grist_Tables_column");
  const tableOf = new Map(columns.map((column) => [column.id, column["parentId"]]));
  for (const column of columns) {
    if (refs(column["rules"]).every((rule) => tableOf.get(rule) === column["parentId"])) continue;
    const { rulesOptions: _, ...options } = jsonObject(column["widgetOptions"]) ?? {};
    const kept = jsonObject(column["widgetOptions"]) ? { widgetOptions: JSON.stringify(options) } : {};
    metadata.update("_grist_Tables_column", column.id, { rules: null, ...kept });
  }
}

interface Rewrite {
  readonly table: string;
  /** The column to convert to attachments. */
  readonly id: string;
  /** An SQL condition for the rows to rewrite. */
  readonly where: string;
  /** The previous type. */
  readonly from: ColumnType;
  readonly convert: (cell: CellValue) => CellValue;
}

function rewriteCells(metadata: MetadataRows, { table, id, where, from, convert }: Rewrite): void {
  const attachments = columnType("Attachments");
  const name = quote(id);
  const cells = metadata.db.values(`select id, ${name} from ${quote(table)} where ${where}`);
  for (const [row, cell] of cells) {
    metadata.db.run(
      `update ${quote(table)} set ${name} = ? where id = ?`,
      attachments.encode(convert(from.decodeRaw(cell ?? null))),
      row ?? null,
    );
  }
}

const emptyToNull = (cell: CellValue): CellValue => (isList(cell) && cell.length === 1 ? null : cell);

/** Lists of references did not exist at that version. */
const isReference = (column: MetadataRow): boolean => text(column["type"]).startsWith("Ref:");

const tableIds = (metadata: MetadataRows): Map<number, string> =>
  new Map(metadata.all("_grist_Tables").map((table) => [table.id, text(table["tableId"])]));
