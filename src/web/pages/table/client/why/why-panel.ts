import type { CellExplanation } from "../../../../../wire/tables/why.ts";
import { apiWithRetry } from "../../../../base/client/api.ts";
import {
  type Child,
  dataElement,
  englishElement,
  h,
  icon,
  nameElement,
  replaceChildren,
} from "../../../../base/client/dom.ts";
import { showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import { titleOf } from "../../../../base/table-titles.ts";
import type { Column } from "../columns/columns.ts";
import { formulaErrorText } from "../columns/formula-errors.ts";
import { closePanel, openSidePanel } from "../../../../base/client/panel.ts";
import type { Sheet } from "../sheet.ts";
import { cellUrl } from "./cell-address.ts";

type ShownCell = CellExplanation["cell"];
type CellName = Omit<ShownCell, "value" | "text">;
type ShownLookup = CellExplanation["reads"]["lookups"][number];

const KINDS = {
  data: "table.why.kind.data",
  formula: "table.why.kind.formula",
  trigger: "table.why.kind.trigger",
  summary: "table.why.kind.data",
} as const;
const TIMES = {
  fast: "table.why.time.fast",
  moderate: "table.why.time.moderate",
  slow: "table.why.time.slow",
} as const;
const DEPENDENTS = {
  trigger: "table.why.dependent.trigger",
  display: "table.why.dependent.display",
  style: "table.why.dependent.style",
  summary: "table.why.dependent.summary",
} as const;
const READERS = {
  rule: "table.why.reader.rule",
  userAttribute: "table.why.reader.userAttribute",
} as const;

/** Opens the panel that explains a cell: its formula, what that reads, what depends on it, and who may change it. */
export async function openWhyPanel(sheet: Sheet, { column, rowId }: { column: Column; rowId: number }): Promise<void> {
  if (!(await closePanel())) return;
  const content = h("div", { class: "why", "aria-busy": "true" }, h("p", { class: "quiet" }, t("table.why.loading")));
  const title = t.rich("table.why.title", { column: nameElement(column.name) });
  const panel = openSidePanel(title, [content]);
  const ids = [sheet.table, rowId, column.id].map((id) => encodeURIComponent(id));
  const load = async (): Promise<void> => {
    try {
      const why = await apiWithRetry<CellExplanation>(`/api/docs/${sheet.docId}/cells/${ids.join("/")}/why`, {});
      if (panel.element.isConnected) replaceChildren(content, ...explanation(why, sheet));
    } catch (error) {
      replaceChildren(content);
      showError(content, error, { retry: () => void load() });
    } finally {
      content.removeAttribute("aria-busy");
    }
  };
  await load();
}

function explanation(why: CellExplanation, sheet: Sheet): Child[] {
  return [
    h("p", { class: "why-kind" }, ...kindSentence(why, sheet)),
    why.error === null && why.cell.text !== "" && h("p", { class: "why-value", translate: "no" }, why.cell.text),
    why.error && errorSection(why.error, why.cell, sheet),
    why.formula !== null && section(t("table.why.formula"), h("pre", { translate: "no" }, h("code", {}, why.formula))),
    why.kind !== "data" && readsSection(why, sheet),
    why.kind === "trigger" && why.trigger && section(t("table.why.runs"), h("p", {}, ...triggerSentence(why.trigger))),
    dependentsSection(why, sheet),
    why.cost && section(t("table.why.cost"), h("p", {}, t(TIMES[why.cost.time], { steps: why.cost.steps }))),
    accessSection(why),
  ];
}

const section = (title: string, ...content: readonly Child[]): HTMLElement =>
  h("section", {}, h("h3", {}, title), ...content);

function kindSentence({ kind, summaryOf }: CellExplanation, sheet: Sheet): readonly Child[] {
  if (summaryOf !== null) {
    const table = nameElement(titleOf(t, summaryOf, sheet.data.tables));
    return t.rich(kind === "summary" ? "table.why.kind.summary" : "table.why.kind.summaryFormula", { table });
  }
  return [t(KINDS[kind])];
}

function triggerSentence({ when, columns }: NonNullable<CellExplanation["trigger"]>): readonly Child[] {
  if (when !== "changes") return [t(when === "never" ? "table.why.trigger.never" : "table.why.trigger.everyEdit")];
  if (columns.length === 0) return [t("table.why.trigger.new")];
  const names = h("span", {}, ...joined(columns.map(({ label }) => nameElement(label))));
  return t.rich("table.why.trigger.changes", { columns: names });
}

function errorSection(error: NonNullable<CellExplanation["error"]>, cell: CellName, sheet: Sheet): HTMLElement {
  const { type, detail, line, origin, cycle } = error;
  const text = formulaErrorText(type);
  return h(
    "section",
    { class: "why-error" },
    h(
      "p",
      {},
      icon("triangle-alert"),
      h("span", {}, line === null ? text : t("table.cell.errorAtLine", { text, line })),
    ),
    h("p", { class: "small" }, englishElement(detail === null ? type : `${type}: ${detail}`)),
    h("p", {}, englishElement(error.remedy)),
    origin && h("p", {}, ...t.rich("table.why.origin", { cell: cellLink(origin, cell, sheet) })),
    cycle.length > 0 && h("p", {}, t("table.why.cycle")),
    cycle.length > 0 && h("ol", {}, ...cycle.map((each) => h("li", {}, cellLink(each, cell, sheet)))),
  );
}

function readsSection({ cell, kind, reads }: CellExplanation, sheet: Sheet): HTMLElement {
  const { cells, more, lookups, moreLookups, clock, user } = reads;
  const items = [
    ...cells.map((read) => h("li", {}, cellLink(read, cell, sheet), ...valueOf(read))),
    ...lookups.map((lookup) => h("li", {}, ...lookupSentence(lookup, sheet))),
    ...(clock ? [h("li", {}, t("table.why.clock"))] : []),
    ...(user.length > 0
      ? [h("li", {}, ...t.rich("table.why.user", { names: h("span", {}, ...joined(user.map(nameElement))) }))]
      : []),
  ];
  const further = more + moreLookups;
  return section(
    t(kind === "trigger" ? "table.why.readsNow" : "table.why.reads"),
    items.length > 0 ? h("ul", {}, ...items) : h("p", { class: "quiet" }, t("table.why.readsNothing")),
    further > 0 && h("p", { class: "quiet" }, t("table.why.more", { count: further })),
  );
}

const valueOf = ({ text }: ShownCell): Child[] => [
  ": ",
  text === "" ? h("span", { class: "quiet" }, t("table.why.empty")) : h("bdi", { translate: "no" }, text),
];

function lookupSentence({ kind, table, criteria, found: count }: ShownLookup, sheet: Sheet): readonly Child[] {
  const names = { table: nameElement(titleOf(t, table, sheet.data.tables)), count };
  if (kind === "group") return t.rich("table.why.group", names);
  if (criteria.length === 0) return t.rich("table.why.lookupAll", names);
  const conditions = criteria.map(({ label, contains, text }) =>
    h("span", {}, nameElement(label), contains ? " ∋ " : " = ", text === "" ? t("table.why.empty") : nameElement(text)),
  );
  return t.rich("table.why.lookup", { ...names, criteria: h("span", {}, ...joined(conditions)) });
}

function dependentsSection({ cell, dependents }: CellExplanation, sheet: Sheet): HTMLElement {
  const { columns, rules } = dependents;
  const items = [
    ...columns.map(({ table, column, label, kind, cells }) => {
      const name =
        table === cell.table ? nameElement(label) : dataElement(`${titleOf(t, table, sheet.data.tables)} › ${label}`);
      const row = table === cell.table ? cell.row : undefined;
      const link = h("a", { href: cellUrl(sheet, { table, column, row }) }, name);
      const count = cells === null ? null : t("table.why.cells", { count: cells });
      return h("li", {}, link, kind === "formula" ? null : ` (${t(DEPENDENTS[kind])})`, count && `: ${count}`);
    }),
    ...rules.map(({ kind, name, detail }) =>
      h("li", {}, ...t.rich(READERS[kind], { name: nameElement(name), detail: nameElement(detail) })),
    ),
  ];
  return section(
    t("table.why.dependents"),
    items.length > 0 ? h("ul", {}, ...items) : h("p", { class: "quiet" }, t("table.why.noDependents")),
  );
}

function accessSection({ kind, formula, summaryOf, access: { update } }: CellExplanation): HTMLElement {
  const { rule } = update;
  const isComputed = kind === "formula" || kind === "summary" || (summaryOf !== null && formula !== null);
  const denied = isComputed ? "table.why.access.computed" : "table.why.access.denied";
  return section(
    t("table.why.access"),
    h("p", {}, t(update.allowed ? "table.why.access.allowed" : denied)),
    ...update.memos.map((memo) => h("p", {}, dataElement(memo))),
    rule &&
      h(
        "p",
        { class: "small" },
        ...t.rich("table.why.access.rule", {
          name: nameElement(`${rule.table}:${rule.columns}`),
          condition: h("code", { translate: "no" }, rule.condition === "" ? "True" : rule.condition),
          permissions: h("code", { translate: "no" }, rule.permissions),
        }),
      ),
  );
}

/** Returns a link to a cell, named relative to the explained one. */
function cellLink(to: CellName, from: CellName, sheet: Sheet): HTMLElement {
  const isSameRow = to.table === from.table && to.row === from.row;
  const row = to.rowLabel ?? String(to.row);
  const parts = isSameRow
    ? [to.label]
    : to.table === from.table
      ? [row, to.label]
      : [titleOf(t, to.table, sheet.data.tables), row, to.label];
  return h("a", { href: cellUrl(sheet, to) }, dataElement(parts.join(" › ")));
}

const joined = (elements: readonly HTMLElement[]): Child[] =>
  elements.flatMap((element, at) => (at === 0 ? [element] : [", ", element]));
