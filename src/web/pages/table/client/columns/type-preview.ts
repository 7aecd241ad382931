import { announce } from "../../../../base/client/announce.ts";
import { api, ApiError, isAborted } from "../../../../base/client/api.ts";
import { replaceChildren, h, nameElement } from "../../../../base/client/dom.ts";
import { showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Conversion } from "./column-actions.ts";
import type { Column } from "./columns.ts";
import type { Sheet } from "../sheet.ts";

export interface ConversionPreview {
  readonly cells: number;
  readonly converted: number;
  readonly examples: readonly { readonly text: string; readonly count: number }[];
  readonly formats: Readonly<Record<string, unknown>> | null;
  /** For references: number of rows that the table misses. */
  readonly missing?: number;
}

export interface TypePreviewOptions {
  /** Called when a preview arrives, fails, or is no longer needed. */
  readonly onChange: () => void;
  /** Called with the number of rows that the referenced table misses. */
  readonly onMissing: (count: number) => void;
  /** Called with formats that convert more cells. Returns true when they are applied. */
  readonly applyFormats: (formats: Readonly<Record<string, unknown>>) => boolean;
}

/** Debounces requests while the user types a format. */
const DEBOUNCE_MS = 150;
const MAX_EXAMPLE_LENGTH = 40;

/** Previews a type conversion before it is applied. */
export class TypePreview {
  readonly element = h("div", { class: "type-preview" });
  readonly #sheet: Sheet;
  readonly #column: Column;
  readonly #options: TypePreviewOptions;
  #requested: Conversion | null = null;
  #abort = new AbortController();
  #state: "none" | "pending" | "known" | "failed" = "none";
  #latest: ConversionPreview | null = null;

  constructor(sheet: Sheet, column: Column, options: TypePreviewOptions) {
    this.#sheet = sheet;
    this.#column = column;
    this.#options = options;
  }

  /** True while the effect is unknown: it must not be applied then. */
  get isMissing(): boolean {
    return this.#state === "pending" || this.#state === "failed";
  }

  /** Null before a preview, or when the user may not see one. */
  get latest(): ConversionPreview | null {
    return this.#latest;
  }

  /** Previews another conversion, or none. */
  show(conversion: Conversion | null): void {
    if (JSON.stringify(conversion) === JSON.stringify(this.#requested)) return;
    this.#requested = conversion;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#latest = null;
    if (conversion) void this.#read(conversion, this.#abort.signal);
    else this.#setState("none");
  }

  async #read(conversion: Conversion, signal: AbortSignal): Promise<void> {
    this.#setState("pending", h("p", { class: "quiet" }, t("table.preview.pending")));
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
    if (signal.aborted) return;
    const path = `${this.#sheet.path}/columns/${encodeURIComponent(this.#column.id)}/convert`;
    try {
      const options = { method: "POST", body: conversion, query: { dryRun: true }, signal } as const;
      const preview = await api<ConversionPreview>(path, options);
      if (signal.aborted || (preview.formats && this.#options.applyFormats(preview.formats))) return;
      this.#latest = preview;
      this.#options.onMissing(preview.missing ?? 0);
      this.#setState("known", previewSummary(preview), this.#hint());
    } catch (error) {
      if (isAborted(error) || signal.aborted) return;
      if (error instanceof ApiError && error.status === 403) {
        this.#setState("known", h("p", { class: "note warning" }, t("table.preview.denied")));
        return;
      }
      this.#setState("failed");
      showError(this.element, error, { retry: () => void this.#read(conversion, signal) });
    }
  }

  #setState(state: "none" | "pending" | "known" | "failed", ...content: (Node | null)[]): void {
    this.#state = state;
    replaceChildren(this.element, ...content);
    if (state === "known") announce(this.element);
    this.#options.onChange();
  }

  /** The format used for parsing, if not the one selected above. */
  #hint(): HTMLElement | null {
    const isNumber = this.#requested?.type === "Numeric" || this.#requested?.type === "Int";
    if (!isNumber || this.#column.type.base !== "Text") return null;
    const { locale } = this.#sheet.data.settings;
    const sample = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(1234.5);
    const names = { locale: nameElement(locale), sample: nameElement(sample) };
    return h("p", { class: "hint" }, ...t.rich("table.preview.locale", names));
  }
}

function previewSummary({ cells: count, converted, examples }: ConversionPreview): HTMLElement {
  if (count === 0) return h("p", { class: "note" }, t("table.preview.empty"));
  if (converted === count) return h("p", { class: "note" }, h("strong", {}, t("table.preview.all", { count })));
  const rest = count - converted;
  const isAll = examples.reduce((sum, each) => sum + each.count, 0) === rest;
  const headline = converted === 0 ? t("table.preview.none", { count }) : t("table.preview.some", { converted, count });
  return h(
    "p",
    { class: "note warning" },
    h("strong", {}, headline),
    " ",
    ...t.rich(isAll ? "table.preview.rest" : "table.preview.restMore", {
      count: rest,
      examples: exampleList(examples),
    }),
  );
}

function exampleList(examples: ConversionPreview["examples"]): HTMLElement {
  const texts = examples.map(({ text, count }) => t("table.preview.example", { text: truncate(text), count }));
  const list = new Intl.ListFormat(t.locale, { type: "unit" }).format(texts);
  return h("span", { translate: "no" }, list);
}

const truncate = (text: string): string =>
  text.length > MAX_EXAMPLE_LENGTH ? `${text.slice(0, MAX_EXAMPLE_LENGTH)}…` : text;
