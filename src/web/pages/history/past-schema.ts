import type { WidgetOptions } from "../../../values/column-type.ts";
import { tableTitle } from "../../base/table-titles.ts";
import type { PageTexts } from "../../base/page-texts.tsx";
import type { NamedTable } from "../../base/table-data.ts";
import type { Metadata, StateMetadata } from "./past-metadata.ts";

/** The tables and columns of a state, by the names that people gave them. */

export interface PastColumn {
  readonly id: string;
  /** Its row id in the metadata. */
  readonly ref: number;
  /** The label, followed by the id when another column of the table has the same label. */
  readonly name: string;
  readonly type: string;
  readonly options: WidgetOptions;
  /** Row id of the column that displays references of this one; 0 for none. */
  readonly displayRef: number;
  /** Row id of the displayed column in the referenced table; 0 for none. */
  readonly visibleRef: number;
  readonly isFormula: boolean;
}

export interface PastTable {
  readonly id: string;
  /** Its row id in the metadata. */
  readonly ref: number;
  readonly title: string;
  /** Its rows follow from those of another table. */
  readonly isSummary: boolean;
  /** In order; with internal columns. */
  readonly columns: ReadonlyMap<string, PastColumn>;
}

export class PastSchema {
  readonly #byId: ReadonlyMap<string, PastTable>;
  readonly #columns: ReadonlyMap<number, { readonly table: PastTable; readonly column: PastColumn }>;

  constructor(t: PageTexts, metadata: Metadata | undefined) {
    const tables = metadata ? readTables(t, metadata) : [];
    this.#byId = new Map(tables.map((table) => [table.id, table]));
    this.#columns = new Map(
      tables.flatMap((table) => [...table.columns.values()].map((column) => [column.ref, { table, column }] as const)),
    );
  }

  tables(): Iterable<PastTable> {
    return this.#byId.values();
  }

  table(id: string): PastTable | undefined {
    return this.#byId.get(id);
  }

  /** Returns a table by its row id in the metadata. */
  tableByRef(ref: number): PastTable | undefined {
    return [...this.#byId.values()].find((table) => table.ref === ref);
  }

  columnByRef(ref: number): PastColumn | undefined {
    return this.#columns.get(ref)?.column;
  }

  /** Returns the title of a table; its id if this is all that is known of it. */
  title(id: string): string {
    return this.#byId.get(id)?.title ?? id;
  }

  /** Returns the name of a column; its id if this is all that is known of it. */
  columnName(table: string, id: string): string {
    return this.#byId.get(table)?.columns.get(id)?.name ?? id;
  }
}

/** The names of tables and columns before and after a change. */
export interface StateNames {
  readonly before: PastSchema;
  readonly after: PastSchema;
}

/** Returns the schemas before and after the change that led to a state. */
export type NamesByState = (n: number) => StateNames;

/** Most states have the schema of the next one. */
export function schemasByState(t: PageTexts, states: ReadonlyMap<number, StateMetadata>): NamesByState {
  const schemas = new Map<Metadata | undefined, PastSchema>();
  const schemaOf = (metadata: Metadata | undefined): PastSchema => {
    const schema = schemas.get(metadata) ?? new PastSchema(t, metadata);
    schemas.set(metadata, schema);
    return schema;
  };
  return (n) => ({ before: schemaOf(states.get(n)?.before), after: schemaOf(states.get(n)?.after) });
}

/** Internal columns. */
export const isInternalColumn = (id: string): boolean => id === "manualSort" || id.startsWith("gristHelper_");

/** The first column that people see: it names a row. */
export const firstColumn = (table: PastTable): PastColumn | undefined =>
  [...table.columns.values()].find(({ id }) => !isInternalColumn(id));

function readTables(t: PageTexts, metadata: Metadata): PastTable[] {
  const records = [...metadata["_grist_Tables"]].map(([ref, fields]) => ({ ref, fields }));
  const columnsOf = Map.groupBy(metadata["_grist_Tables_column"], ([, { parentId }]) => parentId);
  const named = records.map(({ ref, fields }): NamedTable => {
    const id = text(fields["tableId"]);
    const section = metadata["_grist_Views_section"].get(number(fields["rawViewSectionRef"]));
    const sourceRef = number(fields["summarySourceTable"]);
    const groupedBy = (columnsOf.get(ref) ?? []).flatMap(([, column]) =>
      number(column["summarySourceCol"]) > 0 ? [text(column["label"]) || text(column["colId"])] : [],
    );
    return { id, ref, title: text(section?.["title"]).trim() || id, sourceRef, groupedBy };
  });
  return named.map((table) => ({
    id: table.id,
    ref: table.ref,
    title: tableTitle(t, table, named),
    isSummary: table.sourceRef > 0,
    columns: readColumns(columnsOf.get(table.ref) ?? []),
  }));
}

function readColumns(records: readonly (readonly [number, Readonly<Record<string, unknown>>])[]) {
  const sorted = records.toSorted(([, a], [, b]) => number(a["parentPos"]) - number(b["parentPos"]));
  const listed = sorted.map(([ref, fields]) => {
    const id = text(fields["colId"]);
    return { ref, id, label: text(fields["label"]) || id, fields };
  });
  const labels = Map.groupBy(
    listed.filter(({ id }) => !isInternalColumn(id)),
    ({ label }) => label,
  );
  return new Map(
    listed.map(({ ref, id, label, fields }): [string, PastColumn] => {
      const isAmbiguous = (labels.get(label)?.length ?? 0) > 1 && id !== label;
      return [
        id,
        {
          id,
          ref,
          name: isAmbiguous ? `${label} (${id})` : label,
          type: text(fields["type"]) || "Any",
          options: parseOptions(text(fields["widgetOptions"])),
          displayRef: number(fields["displayCol"]),
          visibleRef: number(fields["visibleCol"]),
          isFormula: Boolean(fields["isFormula"]),
        },
      ];
    }),
  );
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

function parseOptions(json: string): WidgetOptions {
  try {
    const value: unknown = json === "" ? {} : JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WidgetOptions) : {};
  } catch {
    return {};
  }
}
