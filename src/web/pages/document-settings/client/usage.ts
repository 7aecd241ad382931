/** What the document's file consists of. */
import type { DocumentUsage } from "../../../../wire/documents/usage.ts";
import { apiWithRetry } from "../../../base/client/api.ts";
import { type Child, find, findOptional, h, nameElement, replaceChildren } from "../../../base/client/dom.ts";
import { showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { formatSize } from "../../../base/sizes.ts";
import { documentAddress } from "./saving.ts";

/** Further tables are in one row. */
const MAX_TABLES = 10;

interface Part {
  readonly name: Child;
  readonly bytes: number;
}

export const tableTitles = (): Readonly<Record<string, string>> =>
  JSON.parse(find("#settings").dataset["titles"] ?? "{}") as Record<string, string>;

export async function showUsage(): Promise<void> {
  const place = findOptional("#usage");
  if (!place) return;
  try {
    const usage = await apiWithRetry<DocumentUsage>(`${documentAddress()}/usage`);
    replaceChildren(place, ...usageElements(usage));
  } catch (error) {
    showError(place, error, { retry: () => void showUsage() });
  }
}

function usageElements({ bytes, tables, indexes, history, attachments, other, free }: DocumentUsage): Child[] {
  const titles = tableTitles();
  const rest = tables.slice(MAX_TABLES);
  const parts: Part[] = [
    ...tables.slice(0, MAX_TABLES).map((table) => ({
      name: h(
        "span",
        {},
        ...t.rich("docSettings.usage.table", {
          table: nameElement(titles[table.table] ?? table.table),
          count: table.rows,
        }),
      ),
      bytes: table.bytes,
    })),
    {
      name: t("docSettings.usage.otherTables", { count: rest.length }),
      bytes: rest.reduce((sum, table) => sum + table.bytes, 0),
    },
    { name: t("docSettings.usage.indexes"), bytes: indexes.bytes },
    { name: t("docSettings.usage.history", { count: history.states }), bytes: history.bytes },
    { name: t("docSettings.usage.attachments", { count: attachments.count }), bytes: attachments.bytes },
    { name: t("docSettings.usage.other"), bytes: other.bytes },
    { name: t("docSettings.usage.free"), bytes: free.bytes },
  ].filter((part) => part.bytes > 0);
  return [
    h("p", {}, t("docSettings.usage.total", { size: formatSize(t, bytes) })),
    h(
      "table",
      { class: "usage", "aria-label": t("docSettings.usage") },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, t("docSettings.usage.part")),
          h("th", { scope: "col", class: "amount" }, t("docSettings.usage.size")),
          h("th", { scope: "col" }, t("docSettings.usage.share")),
        ),
      ),
      h("tbody", {}, ...parts.toSorted((a, b) => b.bytes - a.bytes).map((part) => usageRow(part, bytes))),
    ),
    attachments.totalBytes > attachments.bytes &&
      h("p", { class: "quiet" }, t("docSettings.usage.outside", { size: formatSize(t, attachments.totalBytes) })),
  ];
}

function usageRow({ name, bytes }: Part, total: number): HTMLElement {
  const share = new Intl.NumberFormat(t.locale, { style: "percent" }).format(bytes / total);
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", { class: "amount" }, formatSize(t, bytes)),
    h("td", {}, h("meter", { min: 0, max: total, value: bytes, "aria-label": share, title: share })),
  );
}
