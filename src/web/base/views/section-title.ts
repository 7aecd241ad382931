/** The names of sections, and the kinds that pages show: the same on the server and in scripts. */
import type { LabelKey, PlainTexts } from "../../texts/texts.ts";
import type { IconName } from "../icons.ts";
import type { NamedTable } from "../table-data.ts";
import type { SectionData } from "./section-data.ts";

/** How a section is shown: as rows or cards, as a link to its form, or by a note in its place. */
export type Presentation = "grid" | "cards" | "form" | "placeholder";

export function presentationOf(kind: string): Presentation {
  if (kind === "record" || kind === "") return "grid";
  if (kind === "detail" || kind === "single") return "cards";
  return kind === "form" ? "form" : "placeholder";
}

interface KindInfo {
  readonly label: LabelKey;
  readonly icon: IconName;
}

/** A map: kinds are any texts, also names of properties that all objects have. */
const KINDS: ReadonlyMap<string, KindInfo> = new Map([
  ["record", { label: "view.kind.grid", icon: "table" }],
  ["detail", { label: "view.kind.cards", icon: "layout-grid" }],
  ["single", { label: "view.kind.card", icon: "square" }],
  ["form", { label: "view.kind.form", icon: "scroll-text" }],
  ["chart", { label: "view.kind.chart", icon: "gauge" }],
  ["custom", { label: "view.kind.custom", icon: "code" }],
  ["custom.calendar", { label: "view.kind.calendar", icon: "calendar" }],
]);

const UNKNOWN_KIND: KindInfo = { label: "view.kind.unknown", icon: "circle-question-mark" };

/** Files may have kinds that this version does not know. */
export const kindInfo = (kind: string): KindInfo => KINDS.get(kind === "" ? "record" : kind) ?? UNKNOWN_KIND;

/** Returns the title that people gave a section, else one that is made of its table and its kind. */
export function sectionTitle(
  t: PlainTexts,
  { title, tableRef, kind }: Pick<SectionData, "title" | "tableRef" | "kind">,
  tables: readonly NamedTable[],
): string {
  if (title.trim() !== "") return title;
  const name = shownTable(t, tableRef, tables);
  if (kind === "record" || kind === "") return name;
  return t("view.section.ofKind", { table: name, kind: t(kindInfo(kind).label) });
}

function shownTable(t: PlainTexts, tableRef: number, tables: readonly NamedTable[]): string {
  const table = tables.find(({ ref }) => ref === tableRef);
  if (!table) return "";
  const source = table.sourceRef > 0 ? tables.find(({ ref }) => ref === table.sourceRef) : undefined;
  // Not by the rules of a language, which would be that of the server here and that of the browser in scripts.
  const name = (source ?? table).title.toUpperCase();
  if (!source) return name;
  if (table.groupedBy.length === 0) return t("view.section.totals", { table: name });
  const columns = table.groupedBy.join(t("base.document.groupedBy.separator"));
  return t("view.section.summary", { table: name, columns });
}
