/** A document with pages of every kind, and what an edit changes in its metadata. */
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { MetadataRows } from "../../../src/doc/migrations/metadata-rows.ts";
import type { Database } from "../../../src/sqlite/database.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import { readPageItems } from "../../../src/web/base/views/page-list.ts";
import type { PageOrder } from "../../../src/web/base/views/page-edits.ts";
import type { RecordJson } from "../../../src/web/base/table-data.ts";
import { readSections, type SectionData } from "../../../src/web/base/views/section-data.ts";
import { type FormState, readForm } from "../../../src/web/pages/form-builder/form-data.ts";
import { Scratch } from "../actions/scratch.ts";

/** What other programs may store beside the keys that Quern knows: every edit has to keep it. */
const UNKNOWN = '"unknown":{"x":[1]}';

const section = (id: number, values: Readonly<Record<string, unknown>>): UserAction => [
  "UpdateRecord",
  "_grist_Views_section",
  id,
  values,
];

/**
 * Pages 1 (Table1), 2 (Cities) below it, and 3 (Orders) below that. Page 3 has the sections 7 (grid of Orders), 10 (cards), 11 (form),
 * 13 (summary by city) and 14 (chart), 12 is the raw section of the summary. Raw sections and cards: 2 and 3, 5 and 6, 8 and 9.
 * Columns: Cities 6 Name, 7 Near, 8 People, 9 Size; Orders 11 Item, 12 City, 13 Amount, 14 Done.
 */
const ACTIONS: readonly UserAction[] = [
  [
    "AddTable",
    "Cities",
    [
      { id: "Name", type: "Text" },
      { id: "Near", type: "Ref:Cities" },
      { id: "People", type: "Int" },
      { id: "Size", type: "Choice", widgetOptions: `{"choices":["S","L"],${UNKNOWN}}` },
    ],
  ],
  [
    "AddTable",
    "Orders",
    [
      { id: "Item", type: "Text" },
      { id: "City", type: "Ref:Cities" },
      { id: "Amount", type: "Numeric" },
      { id: "Done", type: "Bool" },
    ],
  ],
  ["BulkAddRecord", "Cities", [null, null], { Name: ["Oslo", "Rome"], Size: ["S", "L"], People: [1, 2] }],
  ["BulkAddRecord", "Orders", [null, null, null], { Item: ["a", "b", "c"], City: [1, 2, 1], Amount: [1, 2, 3] }],
  ["CreateViewSection", 3, 3, "detail", null, null],
  ["CreateViewSection", 3, 3, "form", null, null],
  ["CreateViewSection", 3, 3, "record", [12], null],
  ["CreateViewSection", 3, 3, "chart", null, null],
  [
    "BulkUpdateRecord",
    "_grist_Pages",
    [1, 2, 3],
    { indentation: [0, 1, 2], options: ["", `{"icon":"x",${UNKNOWN}}`, ""] },
  ],
  section(7, {
    sortColRefs: '[-11, "13:naturalSort"]',
    options: `{"numFrozen":1,"rulesOptions":[],${UNKNOWN}}`,
  }),
  section(10, { linkSrcSectionRef: 7, linkSrcColRef: 12, linkTargetColRef: 12, theme: "compact" }),
  section(14, {
    linkSrcSectionRef: 13,
    linkSrcColRef: 0,
    options: `{"multiseries":true,${UNKNOWN}}`,
    chartType: "bar",
  }),
  section(11, { shareOptions: `{"form":true,"publish":true,${UNKNOWN}}` }),
  ["AddRecord", "_grist_Shares", null, { linkId: "link", options: `{"publish":true,${UNKNOWN}}` }],
  ["UpdateRecord", "_grist_Pages", 3, { shareRef: 1 }],
  [
    "BulkAddRecord",
    "_grist_Filters",
    [null, null, null, null],
    {
      viewSectionRef: [7, 7, 8, 4],
      colRef: [11, 13, 12, 9],
      filter: ['{"included":["a"]}', '{"min":1}', '{"excluded":[1]}', '{"included":["S"]}'],
      pinned: [true, false, false, false],
    },
  ],
];

export class EditedDocument extends Scratch {
  /** @param path a document to edit instead of the one described above */
  constructor(path?: string) {
    super({}, path);
    if (path === undefined) this.#fill();
  }

  #fill(): void {
    this.apply(ACTIONS);
    const layout = (leaves: readonly number[], key = "children") =>
      `{"${key}":[${leaves.map((leaf) => `{"leaf":${leaf},${UNKNOWN}}`).join(",")}],${UNKNOWN}}`;
    const boxes = this.fieldsOf(11).map((leaf) => `{"type":"Field","id":"f${leaf}","leaf":${leaf},${UNKNOWN}}`);
    const form = `{"type":"Layout","id":"root","children":[${boxes.join(",")},{"type":"Submit"}],${UNKNOWN}}`;
    const [field = 0] = this.fieldsOf(7);
    this.apply([
      ["UpdateRecord", "_grist_Views", 3, { layoutSpec: layout([7, 10, 11, 13, 14]) }],
      section(10, { layoutSpec: layout(this.fieldsOf(10)) }),
      section(11, { layoutSpec: form }),
      ["UpdateRecord", "_grist_Views_section_field", field, { widgetOptions: `{"wrap":true,${UNKNOWN}}`, width: 250 }],
      ["AddEmptyRule", "Orders", field, 0],
      ["UpdateRecord", "_grist_Views_section_field", this.fieldsOf(11)[0], { widgetOptions: `{${UNKNOWN}}` }],
    ]);
  }

  /** Returns the records of a metadata table. */
  records(table: string): RecordJson[] {
    return new MetadataRows(this.document.db).all(table).map(({ id, ...fields }) => ({ id, fields }));
  }

  /** Returns the fields of a section, in their order. */
  fieldsOf(ref: number): number[] {
    const sql = "select id from _grist_Views_section_field where parentId = ? order by parentPos, id";
    return this.document.db.values(sql, ref).map(([id]) => Number(id));
  }

  section(ref: number): SectionData {
    const records = {
      sections: this.records("_grist_Views_section"),
      fields: this.records("_grist_Views_section_field"),
      filters: this.records("_grist_Filters"),
    };
    const tables = new Map(this.document.schema.tables.map((table) => [table.ref, table.id]));
    const found = readSections(records, tables).find((each) => each.ref === ref);
    if (!found) throw new Error(`no section ${ref}`);
    return found;
  }

  pages(): PageOrder {
    const all = readPageItems({ pages: this.records("_grist_Pages"), views: this.records("_grist_Views") });
    return { all, shown: all };
  }

  async form(ref: number): Promise<FormState> {
    const read = async (table: string, filter: Readonly<Record<string, readonly number[]>>) => {
      const [[column, values] = ["id", []]] = Object.entries(filter);
      const rows = this.records(table).filter(({ id, fields }) =>
        values.includes(Number(column === "id" ? id : fields[column])),
      );
      return Promise.resolve(rows);
    };
    const form = await readForm(read, ref);
    if (!form) throw new Error(`no form ${ref}`);
    return form;
  }

  /** Returns all metadata. */
  metadata(): Metadata {
    return metadataOf(this.document.db);
  }
}

/** The cells of metadata tables as SQL literals, which distinguish texts, numbers and blobs. */
export type Metadata = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, string>>>>;

export function metadataOf(db: Database): Metadata {
  const tables = db.values(
    "select name from sqlite_master where type = 'table' and name glob '_grist_*' order by name",
  );
  return new Map(
    tables.map(([name]) => {
      const table = String(name);
      const columns = db
        .values("select name from pragma_table_info(?) order by name", table)
        .map(([column]) => String(column));
      const cells = columns.map((column) => `quote(${wholeNumber(quote(column))})`).join(", ");
      const records = db
        .values(`select ${cells} from ${quote(table)} order by id`)
        .map((row) => Object.fromEntries(columns.map((column, i) => [column, String(row[i])])));
      return [table, new Map(records.map((record) => [String(record["id"]), record]))];
    }),
  );
}

/** Columns of old files have no type, so that they hold 1.0 as well as 1, which is the same position. */
const wholeNumber = (cell: string): string =>
  `case when typeof(${cell}) = 'real' and ${cell} = cast(${cell} as integer) then cast(${cell} as integer) else ${cell} end`;

/**
 * Returns what differs: `"+2 Views_section_field"` and `"-1 Filters"` for records that were added and removed, and
 * `"Views_section 7: sortColRefs"` for changed ones.
 */
export function differences(before: Metadata, after: Metadata): string[] {
  return [...after].flatMap(([table, rows]) => {
    const name = table.replace("_grist_", "");
    const former = before.get(table) ?? new Map<string, Readonly<Record<string, string>>>();
    const added = [...rows.keys()].filter((id) => !former.has(id)).length;
    const removed = [...former.keys()].filter((id) => !rows.has(id)).length;
    const changed = [...rows].flatMap(([id, row]) => {
      const old = former.get(id) ?? row;
      const columns = Object.keys(row).filter((column) => row[column] !== old[column]);
      return columns.length > 0 ? [`${name} ${id}: ${columns.join(", ")}`] : [];
    });
    return [...(removed > 0 ? [`-${removed} ${name}`] : []), ...(added > 0 ? [`+${added} ${name}`] : []), ...changed];
  });
}

/** Returns the changed cells that no longer contain what other programs stored in them. */
export function lostKeys(before: Metadata, after: Metadata): string[] {
  return [...after].flatMap(([table, rows]) =>
    [...rows].flatMap(([id, row]) => {
      const old = before.get(table)?.get(id) ?? {};
      const columns = Object.keys(row).filter((column) => countUnknown(row[column]) < countUnknown(old[column]));
      return columns.map((column) => `${table} ${id}: ${column}`);
    }),
  );
}

const countUnknown = (cell: string | undefined): number => (cell?.includes(UNKNOWN) ? 1 : 0);
