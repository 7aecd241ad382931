import { markName } from "../../base/names.ts";
import { typeName } from "../../base/type-names.ts";
import type { PlainTexts } from "../../texts/texts.ts";
import { joinTruncated } from "./joined-names.ts";
import { isInternalColumn, type PastColumn, type PastTable, type StateNames } from "./past-schema.ts";

/** How tables and columns differ between two states, in sentences with marked names. */
export function schemaDifferences(t: PlainTexts, { before, after }: StateNames): string[] {
  const former = byRef(before.tables());
  const present = byRef(after.tables());
  return [
    ...[...present.values()].flatMap((table) => {
      const earlier = former.get(table.ref);
      return earlier
        ? tableDifferences(t, earlier, table)
        : [t("history.table.added", { table: markName(table.title) })];
    }),
    ...[...former.values()].flatMap(({ ref, title }) =>
      present.has(ref) ? [] : [t("history.table.deleted", { table: markName(title) })],
    ),
  ];
}

function tableDifferences(t: PlainTexts, former: PastTable, present: PastTable): string[] {
  const table = markName(present.title);
  const [earlier, later] = [byRef(shownColumns(former)), byRef(shownColumns(present))];
  const added = [...later.values()].filter(({ ref }) => !earlier.has(ref));
  const removed = [...earlier.values()].filter(({ ref }) => !later.has(ref));
  const renamed =
    former.title === present.title ? [] : [t("history.table.renamed", { from: markName(former.title), table })];
  return [
    ...renamed,
    ...columnsSentence(t, "history.columns.added", added, table),
    ...columnsSentence(t, "history.columns.deleted", removed, table),
    ...[...later.values()].flatMap((column) => {
      const before = earlier.get(column.ref);
      return before ? columnDifferences(t, before, { column, table }) : [];
    }),
  ];
}

function columnsSentence(
  t: PlainTexts,
  key: "history.columns.added" | "history.columns.deleted",
  columns: readonly PastColumn[],
  table: string,
): string[] {
  const names = columns.map(({ name }) => markName(name));
  return names.length === 0 ? [] : [t(key, { count: names.length, columns: joinTruncated(t, names), table })];
}

function columnDifferences(
  t: PlainTexts,
  before: PastColumn,
  { column, table }: { column: PastColumn; table: string },
): string[] {
  const name = markName(column.name);
  const isTypeSame = before.type.split(":")[0] === column.type.split(":")[0];
  return [
    ...(before.name === column.name
      ? []
      : [t("history.column.renamed", { from: markName(before.name), table, to: name })]),
    ...(isTypeSame ? [] : [t("history.column.type", { column: name, table, type: typeName(t, column.type) })]),
    ...(before.isFormula && !column.isFormula ? [t("history.column.toData", { column: name, table })] : []),
    ...(!before.isFormula && column.isFormula ? [t("history.column.formula", { column: name, table })] : []),
  ];
}

const shownColumns = ({ columns }: PastTable): PastColumn[] =>
  [...columns.values()].filter(({ id }) => !isInternalColumn(id));

const byRef = <T extends { readonly ref: number }>(items: Iterable<T>): Map<number, T> =>
  new Map([...items].map((item) => [item.ref, item]));
