/** The dialog that creates or edits a webhook. */
import type { LabelKey } from "../../../texts/texts.ts";
import type { Webhook, WebhookTable } from "../data.ts";
import { ApiError, errorContent } from "../../../base/client/api.ts";
import { formDialog } from "../../../base/client/dialog.ts";
import {
  apiSentence,
  clearFieldErrors,
  fieldErrorShown,
  formText,
  inputField,
  selectField,
  showFieldError,
} from "../../../base/client/form-field.ts";
import { replaceChildren, h, type Child } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { HELP_LINKS } from "../../../base/help/help-links.ts";

export type WebhookFormFields = Pick<
  Webhook["fields"],
  "name" | "memo" | "url" | "tableId" | "isReadyColumn" | "watchedColIds" | "authorization" | "enabled"
> & {
  readonly eventTypes: ("add" | "update" | "remove")[];
  readonly headers: Record<string, string>;
  /** Null for none. */
  readonly filter: Record<string, unknown> | null;
  readonly includeEvent: boolean;
  readonly includeOld: boolean;
};

export interface WebhookFormOptions {
  readonly tables: readonly WebhookTable[];
  /** The webhook to edit; a new one by default. */
  readonly webhook?: Webhook;
  readonly save: (fields: WebhookFormFields, signal: AbortSignal) => Promise<void>;
}

const EVENTS = [
  { value: "add", label: "webhooks.event.add" },
  { value: "update", label: "webhooks.event.update" },
  { value: "remove", label: "webhooks.event.remove" },
] as const satisfies readonly { value: string; label: LabelKey }[];

/** Asks for the settings of a webhook and saves it. Resolves to true when saved. */
export function openWebhookForm({ tables, webhook, save }: WebhookFormOptions): Promise<boolean> {
  const fields = webhook?.fields;
  const columns = h("div", {});
  const table = selectField(
    t("webhooks.form.table"),
    { name: "tableId", value: fields?.tableId ?? "", translate: "no" },
    tables.map(({ id, title }) => ({ value: id, label: title })),
  );
  const select = table.querySelector("select");
  const updateColumnFields = () =>
    replaceChildren(
      columns,
      ...columnFields(
        tables.find(({ id }) => id === select?.value),
        webhook,
      ),
    );
  select?.addEventListener("change", updateColumnFields);
  updateColumnFields();
  return formDialog({
    title: t(webhook ? "webhooks.form.edit" : "webhooks.add"),
    action: t(webhook ? "webhooks.form.save" : "webhooks.form.add"),
    wide: true,
    content: [
      h(
        "div",
        { class: "hook-form" },
        h(
          "div",
          {},
          inputField(t("webhooks.form.url"), {
            name: "url",
            inputmode: "url",
            required: true,
            maxlength: 4000,
            placeholder: "https://example.com/hook",
            translate: "no",
            value: fields?.url ?? "",
          }),
          inputField(t("webhooks.form.name"), { name: "name", maxlength: 1000, value: fields?.name ?? "" }),
          textareaField(t("webhooks.form.memo"), { name: "memo", rows: 2, maxlength: 10_000 }, fields?.memo ?? ""),
          inputField(t("webhooks.form.authorization"), {
            name: "authorization",
            maxlength: 4000,
            value: fields?.authorization ?? "",
          }),
          h("p", { class: "hint" }, t("webhooks.form.authorizationHint")),
          textareaField(
            t("webhooks.form.headers"),
            { name: "headers", rows: 2, class: "code" },
            formatHeaderLines(fields?.headers),
          ),
          h("p", { class: "hint" }, t("webhooks.form.headersHint")),
        ),
        h(
          "div",
          {},
          table,
          eventFields(fields?.eventTypes ?? ["add", "update"]),
          columns,
          textareaField(
            t("webhooks.form.filter"),
            { name: "filter", rows: 2, class: "code", translate: "no" },
            fields?.filter ? JSON.stringify(fields.filter) : "",
          ),
          h(
            "p",
            { class: "hint" },
            ...t.rich("webhooks.form.filterHint", { example: filterExample(), link: filterLink }),
          ),
          h(
            "fieldset",
            {},
            h("legend", {}, t("webhooks.form.include")),
            checkboxField("includeEvent", t("webhooks.form.includeEvent"), fields?.includeEvent ?? false),
            checkboxField("includeOld", t("webhooks.form.includeOld"), fields?.includeOld ?? false),
          ),
          checkboxField("enabled", t("webhooks.form.enabled"), fields?.enabled ?? true),
        ),
      ),
    ],
    async submit(data, signal) {
      const form = columns.closest("form") ?? document;
      clearFieldErrors(form);
      const input = readWebhookFields(data, form);
      try {
        await save(input, signal);
      } catch (error) {
        const name = error instanceof ApiError && error.kind === "refused" ? fieldOfError(error) : null;
        if (!name || !(error instanceof ApiError)) throw error;
        showFieldError(form, name, errorContent(error));
        throw fieldErrorShown();
      }
    },
  });
}

function textareaField(label: string, attributes: Record<string, string | number>, value: string): HTMLLabelElement {
  return h("label", {}, label, h("textarea", { spellcheck: "false", ...attributes }, value));
}

const checkboxField = (name: string, label: string, isChecked: boolean): HTMLElement =>
  h("label", {}, h("input", { type: "checkbox", name, checked: isChecked }), label);

const filterExample = (): HTMLElement => h("code", { translate: "no" }, '{"Price": {"gt": 100}}');

const filterLink = (content: Child[]): HTMLElement =>
  h("a", { href: HELP_LINKS.filters, target: "_blank" }, ...content);

const eventFields = (chosen: readonly string[]): HTMLElement =>
  h(
    "fieldset",
    {},
    h("legend", {}, t("webhooks.form.events")),
    h(
      "div",
      { class: "checks" },
      ...EVENTS.map(({ value, label }) =>
        h(
          "label",
          {},
          h("input", { type: "checkbox", name: "event", value, checked: chosen.includes(value) }),
          t(label),
        ),
      ),
    ),
  );

/** Fields that depend on the table. */
function columnFields(table: WebhookTable | undefined, webhook: Webhook | undefined): HTMLElement[] {
  if (!table) return [];
  const isSame = webhook?.fields.tableId === table.id;
  const watched = isSame ? webhook.fields.watchedColIds : [];
  const ready = isSame ? (webhook.fields.isReadyColumn ?? "") : "";
  const flags = table.columns.filter(({ id, type }) => type === "Bool" || type === "Any" || id === ready);
  const options = [
    { value: "", label: t("webhooks.form.always") },
    ...flags.map(({ id, label }) => ({ value: id, label: t("webhooks.form.whenTrue", { column: label }) })),
  ];
  return [
    selectField(t("webhooks.form.ready"), { name: "ready", value: ready }, options),
    h(
      "fieldset",
      {},
      h("legend", {}, t("webhooks.form.watched")),
      h("p", { class: "hint" }, t("webhooks.form.watchedHint")),
      h(
        "div",
        { class: "checks columns" },
        ...table.columns.map(({ id, label }) =>
          h(
            "label",
            {},
            h("input", { type: "checkbox", name: "watched", value: id, checked: watched.includes(id) }),
            h("span", { translate: "no" }, label),
          ),
        ),
      ),
    ),
  ];
}

/** @throws Failure `stopped` after a field was marked */
function readWebhookFields(data: FormData, form: ParentNode): WebhookFormFields {
  const eventTypes = EVENTS.map(({ value }) => value).filter((value) => data.getAll("event").includes(value));
  if (eventTypes.length === 0) {
    showFieldError(form, "event", t("webhooks.form.noEvent"));
    throw fieldErrorShown();
  }
  const headers = parseHeaderLines(formText(data, "headers"));
  if (typeof headers === "string") {
    showFieldError(form, "headers", headers);
    throw fieldErrorShown();
  }
  const filter = parseFilter(formText(data, "filter"));
  if (filter === undefined) {
    showFieldError(form, "filter", t("webhooks.form.badFilter"));
    throw fieldErrorShown();
  }
  return {
    name: formText(data, "name"),
    memo: formText(data, "memo"),
    url: formText(data, "url"),
    authorization: formText(data, "authorization"),
    tableId: formText(data, "tableId"),
    isReadyColumn: formText(data, "ready") || null,
    watchedColIds: data.getAll("watched").map(String),
    enabled: data.has("enabled"),
    eventTypes,
    headers,
    filter,
    includeEvent: data.has("includeEvent"),
    includeOld: data.has("includeOld"),
  };
}

/** Returns null for an empty text, and undefined when it is not a JSON object. */
function parseFilter(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === "") return null;
  try {
    const filter: unknown = JSON.parse(text);
    return typeof filter === "object" && filter !== null && !Array.isArray(filter) ? { ...filter } : undefined;
  } catch {
    return undefined;
  }
}

const formatHeaderLines = (headers: Readonly<Record<string, string>> = {}): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** Parses headers by name; throws a sentence for an invalid line. */
export function parseHeaderLines(text: string): Record<string, string> | string {
  const headers = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const [, name, value = ""] = /^\s*([^\s:]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined) return t("webhooks.form.badHeader", { line: line.trim() });
    headers.set(name, value.trim());
  }
  return Object.fromEntries(headers);
}

/** Returns the field that an API error refers to; null when unknown. */
function fieldOfError(error: ApiError): string | null {
  const message = apiSentence(error);
  const { code } = error.details;
  if (typeof code === "string" && code.startsWith("filter.")) return "filter";
  if (message.startsWith("Table not found")) return "tableId";
  if (message.startsWith("Column not found")) return "ready";
  if (code === "column.unknown") return "filter";
  const path = /\bfields?\.(\w+)|^(?:body\.)?(\w+)\b/.exec(message);
  const named = path?.[1] ?? path?.[2] ?? "";
  if (["name", "memo", "authorization", "headers"].includes(named)) return named;
  return /\burl\b/i.test(message) ? "url" : null;
}
