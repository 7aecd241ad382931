import { METADATA_TABLES, type MetadataColumn } from "../../../src/doc/metadata-tables.ts";
import type { Maker } from "./random-record-actions.ts";
import { OPTIONS, type Source } from "./random-values.ts";

/** Arbitrary writes to records of metadata tables, as clients may send them; many are refused. */
export const METADATA_ACTIONS: readonly (readonly [weight: number, make: Maker])[] = [
  [3, (source) => withTable(source, ({ id, columns }) => ["AddRecord", id, null, valuesFor(source, columns, 1)])],
  [
    4,
    (source) =>
      withTable(source, ({ id, columns }) => ["UpdateRecord", id, source.id(id), valuesFor(source, columns, 4)]),
  ],
  [1, (source) => withTable(source, ({ id }) => ["RemoveRecord", id, source.id(id)])],
  [2, addComment],
  [1, (source) => ["RemoveRecord", COMMENTS, source.id(COMMENTS)]],
];

const COMMENTS = "_grist_Cells";

/** Returns a comment on a cell, or a reply to a comment. */
function addComment(source: Source): ReturnType<Maker> {
  const { random } = source;
  const answered = source.record(COMMENTS, "tableRef", "colRef", "rowId");
  if (answered && random.oneIn(3)) {
    const [tableRef, colRef, rowId] = answered.values;
    return ["AddRecord", COMMENTS, null, { tableRef, colRef, rowId, type: 1, parentId: answered.id }];
  }
  const found = source.column();
  const rowId = random.pickAny(source.ids(found?.table.id ?? COMMENTS));
  if (!found || rowId === undefined) return undefined;
  return [
    "AddRecord",
    COMMENTS,
    null,
    { tableRef: found.table.ref, colRef: found.column.ref, rowId, type: 1, root: true },
  ];
}

/**
 * Excluded: access rules, attachments and webhooks, which actions cannot write; comments, which need a row; tables of
 * former versions.
 */
const LEFT_OUT = /_(ACL|Attachments|Triggers|Cells|DocInfo|Imports|External|TabItems|TableViews|REPL|Validations)/;
const TABLES = METADATA_TABLES.filter(({ id }) => !LEFT_OUT.test(id));

type Table = (typeof TABLES)[number];

const withTable = (source: Source, make: (table: Table) => ReturnType<Maker>): ReturnType<Maker> =>
  make(source.random.pick(TABLES));

/** Returns values for one in `turns` columns on average. */
const valuesFor = (source: Source, columns: readonly MetadataColumn[], turns: number): Record<string, unknown> =>
  Object.fromEntries(source.random.some(columns, turns).map((column) => [column.id, valueFor(source, column)]));

function valueFor(source: Source, { type }: MetadataColumn): unknown {
  const { random } = source;
  const [base = "", target = ""] = type.split(":");
  switch (base) {
    case "Ref":
      return random.oneIn(3) ? 0 : source.id(target);
    case "RefList":
      return random.pick([null, ["L", source.id(target)]]);
    case "Bool":
      return random.oneIn(2);
    case "Text":
      return random.pick(["", "record", "Name", "[1]", ...OPTIONS]);
    default:
      return random.below(10);
  }
}
