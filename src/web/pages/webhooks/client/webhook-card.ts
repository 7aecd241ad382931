/** The card of a webhook. */
import type { WebhookSendResult } from "../../../../wire/webhooks/webhooks.ts";
import type { Webhook, WebhookTable } from "../data.ts";
import { announce } from "../../../base/client/announce.ts";
import { api, isAborted } from "../../../base/client/api.ts";
import { dataElement, replaceChildren, h, icon, nameElement, newId, type Child } from "../../../base/client/dom.ts";
import { attachMenu } from "../../../base/client/menu.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { timeElement } from "../../../base/client/times.ts";
import type { LabelKey } from "../../../texts/texts.ts";
import { sendResultElement } from "./send-result.ts";

export interface WebhookCardActions {
  readonly edit: (webhook: Webhook) => void;
  readonly deliveries: (webhook: Webhook) => void;
  readonly renewSecret: (webhook: Webhook) => void;
  readonly clear: (webhook: Webhook) => void;
  readonly remove: (webhook: Webhook) => void;
  /** @throws Failure */
  readonly setEnabled: (webhook: Webhook, isOn: boolean) => Promise<void>;
}

export interface WebhookCardOptions {
  /** The tables of the document, for their names. */
  readonly tables: readonly WebhookTable[];
  readonly actions: WebhookCardActions;
}

const STATE_LABELS = {
  idle: { label: "webhooks.state.idle", kind: "good" },
  sending: { label: "webhooks.state.sending", kind: "good" },
  retrying: { label: "webhooks.state.retrying", kind: "danger" },
  postponed: { label: "webhooks.state.postponed", kind: "danger" },
  error: { label: "webhooks.state.error", kind: "danger" },
  invalid: { label: "webhooks.state.invalid", kind: "danger" },
} as const satisfies Record<string, { label: LabelKey; kind: string }>;

const DISABLED = { label: "webhooks.state.disabled", kind: "quiet" } as const;

const EVENT_LABELS: Readonly<Record<string, LabelKey>> = {
  add: "webhooks.event.add",
  update: "webhooks.event.update",
  remove: "webhooks.event.remove",
};

export const webhookName = ({ fields: { name, url } }: Webhook): string => name || hostName(url);

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Buttons are kept through updates, so that the focus stays. */
export class WebhookCard {
  readonly element: HTMLElement;
  #webhook: Webhook;
  readonly #path: string;
  readonly #tables: readonly WebhookTable[];
  readonly #title = h("h2", { id: newId("hook") });
  readonly #badge = h("span", { class: "badge" });
  readonly #about = h("div", { class: "hook-about" });
  readonly #status = h("dl", { class: "hook-fares" });
  readonly #errorContainer = h("div", { class: "problem-place" });
  readonly #switch = h("button", { type: "button", class: "plain small" });
  readonly #test = h("button", { type: "button", class: "plain small" }, icon("play"), t("webhooks.test"));
  #testing: AbortController | undefined;

  /** @param path of the webhook in the API */
  constructor(webhook: Webhook, path: string, { tables, actions }: WebhookCardOptions) {
    this.#tables = tables;
    this.#webhook = webhook;
    this.#path = path;
    const button = (label: string, run: (webhook: Webhook) => void) =>
      h("button", { type: "button", class: "plain small", onclick: () => run(this.#webhook) }, label);
    const more = h("button", { type: "button", class: "bare", "aria-label": t("webhooks.more") }, icon("ellipsis"));
    attachMenu(more, () => [
      { label: t("webhooks.renewSecret"), icon: "lock", run: () => actions.renewSecret(this.#webhook) },
      { label: t("webhooks.clear.action"), icon: "x", run: () => actions.clear(this.#webhook) },
      { label: t("webhooks.remove"), icon: "trash-2", isDangerous: true, run: () => actions.remove(this.#webhook) },
    ]);
    this.#switch.addEventListener("click", () => void this.#toggle(actions));
    this.#test.addEventListener("click", () => void this.#sendTest());
    const deliveries = button(t("webhooks.deliveries"), actions.deliveries);
    this.element = h(
      "section",
      { class: "card hook", "aria-labelledby": this.#title.id },
      h("div", { class: "hook-top" }, this.#title, this.#badge),
      this.#about,
      this.#status,
      h("div", { class: "bar" }, this.#test, deliveries, button(t("webhooks.edit"), actions.edit), this.#switch, more),
      this.#errorContainer,
    );
    this.update(webhook);
  }

  update(webhook: Webhook): void {
    this.#webhook = webhook;
    const { fields, usage } = webhook;
    const { label, kind } = fields.enabled ? STATE_LABELS[usage.status] : DISABLED;
    replaceChildren(this.#title, dataElement(webhookName(webhook)));
    this.#badge.className = `badge ${kind}`;
    this.#badge.textContent = t(label);
    this.#switch.textContent = t(fields.enabled ? "webhooks.disable" : "webhooks.enable");
    replaceChildren(this.#about, ...descriptionElements(webhook, this.#tables));
    replaceChildren(this.#status, ...statusElements(webhook));
  }

  async #toggle(actions: WebhookCardActions): Promise<void> {
    clearError(this.#errorContainer);
    this.#switch.setAttribute("aria-disabled", "true");
    try {
      await actions.setEnabled(this.#webhook, !this.#webhook.fields.enabled);
    } catch (error) {
      showError(this.#errorContainer, error, { retry: () => void this.#toggle(actions) });
    } finally {
      this.#switch.removeAttribute("aria-disabled");
    }
  }

  async #sendTest(): Promise<void> {
    if (this.#testing) return;
    const work = new AbortController();
    this.#testing = work;
    const cancel = () => work.abort();
    replaceChildren(
      this.#errorContainer,
      h(
        "div",
        { class: "bar" },
        h("span", { class: "quiet" }, t("webhooks.test.waiting")),
        h("button", { type: "button", class: "plain small", onclick: cancel }, t("base.cancel")),
      ),
    );
    announce(t("webhooks.test.waiting"));
    try {
      const answer = await api<WebhookSendResult>(`${this.#path}/test`, {
        method: "POST",
        body: {},
        signal: work.signal,
      });
      replaceChildren(this.#errorContainer, sendResultElement(answer));
    } catch (error) {
      showError(this.#errorContainer, error, { retry: () => void this.#sendTest() });
      if (isAborted(error)) this.#test.focus();
    } finally {
      this.#testing = undefined;
    }
  }
}

function descriptionElements({ fields }: Webhook, tables: readonly WebhookTable[]): Child[] {
  const { url, tableId, eventTypes, isReadyColumn, watchedColIds, filter, memo } = fields;
  const table = tables.find(({ id }) => id === tableId);
  const label = (column: string): string => table?.columns.find(({ id }) => id === column)?.label ?? column;
  const list = new Intl.ListFormat(t.locale, { type: "disjunction" });
  const events = list.format(
    eventTypes.map((event) => {
      const text = EVENT_LABELS[event];
      return text === undefined ? event : t(text);
    }),
  );
  const conditions = [
    ...(isReadyColumn ? [t.rich("webhooks.onlyReady", { column: nameElement(label(isReadyColumn)) })] : []),
    ...(watchedColIds.length > 0
      ? [t.rich("webhooks.onlyWatched", { columns: dataElement(watchedColIds.map(label).join(", ")) })]
      : []),
    ...(filter
      ? [t.rich("webhooks.onlyMatching", { filter: h("code", { translate: "no" }, JSON.stringify(filter)) })]
      : []),
  ];
  return [
    h("p", { class: "hook-url", translate: "no" }, h("code", {}, url)),
    h(
      "p",
      {},
      ...(tableId === ""
        ? [t("webhooks.noTable")]
        : t.rich("webhooks.when", { table: nameElement(table?.title ?? tableId), events })),
      ...conditions.flatMap((condition) => [" ", ...condition]),
    ),
    memo ? h("p", { class: "quiet memo", translate: "no" }, memo) : null,
  ];
}

function statusElements({ usage }: Webhook): Child[] {
  const { numWaiting, numDropped, lastEventBatch, lastSuccessTime, lastFailureTime, lastErrorMessage } = usage;
  const pair = (name: string, ...content: Child[]): Child[] => [h("dt", {}, name), h("dd", {}, ...content)];
  const at = (ms: number): HTMLElement => timeElement(new Date(ms).toISOString());
  const failed = lastEventBatch && lastEventBatch.status !== "success";
  return [
    ...(numWaiting > 0 ? pair(t("webhooks.queued"), t("webhooks.events", { count: numWaiting })) : []),
    ...(numDropped ? pair(t("webhooks.dropped"), t("webhooks.events", { count: numDropped })) : []),
    ...pair(t("webhooks.lastDelivery"), lastDeliveryText(usage)),
    ...(lastSuccessTime ? pair(t("webhooks.lastSuccess"), at(lastSuccessTime)) : []),
    ...(lastFailureTime
      ? pair(
          t("webhooks.lastFailure"),
          at(lastFailureTime),
          failed && lastErrorMessage ? h("span", { translate: "no" }, `: ${lastErrorMessage}`) : null,
        )
      : []),
  ];
}

function lastDeliveryText({ lastEventBatch, lastHttpStatus }: Webhook["usage"]): string {
  if (!lastEventBatch) return t("webhooks.lastDelivery.never");
  const { size, status, attempts } = lastEventBatch;
  const rows = t("table.count", { count: size });
  const isDelivered = status === "success";
  const outcome = lastHttpStatus
    ? t(isDelivered ? "webhooks.lastDelivery.deliveredWith" : "webhooks.lastDelivery.failedWith", {
        rows,
        status: String(lastHttpStatus),
      })
    : t(isDelivered ? "webhooks.lastDelivery.delivered" : "webhooks.lastDelivery.failed", { rows });
  return attempts > 1 ? t("webhooks.lastDelivery.attempt", { outcome, attempt: attempts }) : outcome;
}
