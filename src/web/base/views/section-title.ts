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

const KINDS: Readonly<Record<string, KindInfo>> = {
  record: { label: "view.kind.grid", icon: "table" },
  detail: { label: "view.kind.cards", icon: "layout-grid" },
  single: { label: "view.kind.card", icon: "square" },
  form: { label: "view.kind.form", icon: "scroll-text" },
  chart: { label: "view.kind.chart", icon: "gauge" },
  custom: { label: "view.kind.custom", icon: "code" },
  "custom.calendar": { label: "view.kind.calendar", icon: "calendar" },
};

const UNKNOWN_KIND: KindInfo = { label: "view.kind.unknown", icon: "circle-question-mark" };

/** Files may have any text as a kind, also the name of a property that all objects have. */
export const kindInfo = (kind: string): KindInfo =>
  kind === "" ? kindInfo("record") : ((Object.hasOwn(KINDS, kind) ? KINDS[kind] : null) ?? UNKNOWN_KIND);

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
  const name = (source ?? table).title.toLocaleUpperCase();
  if (!source) return name;
  if (table.groupedBy.length === 0) return t("view.section.totals", { table: name });
  const columns = table.groupedBy.join(t("base.document.groupedBy.separator"));
  return t("view.section.summary", { table: name, columns });
}
