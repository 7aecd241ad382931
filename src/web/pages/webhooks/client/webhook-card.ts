/** The card of a webhook. */
import type { WebhookSendResult } from "../../../../wire/webhooks/webhooks.ts";
import { formatCount } from "../../../../lib/text/formatting.ts";
import type { Webhook } from "../data.ts";
import { api, isAborted } from "../../../base/client/api.ts";
import { replaceChildren, h, icon, newId, type Child } from "../../../base/client/dom.ts";
import { attachMenu } from "../../../base/client/menu.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { timeElement } from "../../../base/client/times.ts";
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

const STATE_LABELS = {
  idle: { word: "Queue empty", kind: "good" },
  sending: { word: "Sending", kind: "good" },
  retrying: { word: "Retrying", kind: "danger" },
  postponed: { word: "Postponed after repeated failures", kind: "danger" },
  error: { word: "Failed", kind: "danger" },
  invalid: { word: "URL not allowed", kind: "danger" },
} as const;

const EVENT_LABELS: Readonly<Record<string, string>> = { add: "added", update: "changed", remove: "removed" };

export const webhookName = ({ fields: { name, url } }: Webhook): string => name || hostName(url);

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Buttons are kept through updates, so that the focus stays. */
export class WebhookCard {
  readonly element: HTMLElement;
  #webhook: Webhook;
  readonly #path: string;
  readonly #title = h("h2", { id: newId("hook") });
  readonly #badge = h("span", { class: "badge" });
  readonly #about = h("div", { class: "hook-about" });
  readonly #status = h("dl", { class: "hook-fares" });
  readonly #errorContainer = h("div", { class: "problem-place" });
  readonly #switch = h("button", { type: "button", class: "plain small" });
  readonly #test = h("button", { type: "button", class: "plain small" }, icon("play"), "Send test");
  #testing: AbortController | undefined;

  /** @param path of the webhook in the API */
  constructor(webhook: Webhook, path: string, actions: WebhookCardActions) {
    this.#webhook = webhook;
    this.#path = path;
    const button = (label: string, run: (webhook: Webhook) => void) =>
      h("button", { type: "button", class: "plain small", onclick: () => run(this.#webhook) }, label);
    const more = h("button", { type: "button", class: "bare", "aria-label": "More" }, icon("more"));
    attachMenu(more, () => [
      { label: "New signing secret", icon: "lock", run: () => actions.renewSecret(this.#webhook) },
      { label: "Clear queue", icon: "close", run: () => actions.clear(this.#webhook) },
      { label: "Delete", icon: "trash", isDangerous: true, run: () => actions.remove(this.#webhook) },
    ]);
    this.#switch.addEventListener("click", () => void this.#toggle(actions));
    this.#test.addEventListener("click", () => void this.#sendTest());
    const deliveries = button("Deliveries", actions.deliveries);
    this.element = h(
      "section",
      { class: "card hook", "aria-labelledby": this.#title.id },
      h("div", { class: "hook-top" }, this.#title, this.#badge),
      this.#about,
      this.#status,
      h("div", { class: "bar" }, this.#test, deliveries, button("Edit", actions.edit), this.#switch, more),
      this.#errorContainer,
    );
    this.update(webhook);
  }

  update(webhook: Webhook): void {
    this.#webhook = webhook;
    const { fields, usage } = webhook;
    const { word, kind } = fields.enabled ? STATE_LABELS[usage.status] : { word: "Disabled", kind: "quiet" };
    this.#title.textContent = webhookName(webhook);
    this.#badge.className = `badge ${kind}`;
    this.#badge.textContent = word;
    this.#switch.textContent = fields.enabled ? "Disable" : "Enable";
    replaceChildren(this.#about, ...descriptionElements(webhook));
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
        h("span", { class: "quiet", role: "status" }, "Waiting for the receiver…"),
        h("button", { type: "button", class: "plain small", onclick: cancel }, "Cancel"),
      ),
    );
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

function descriptionElements({ fields }: Webhook): Child[] {
  const { url, tableId, eventTypes, isReadyColumn, watchedColIds, memo } = fields;
  const events = eventTypes.map((event) => EVENT_LABELS[event] ?? event);
  const last = events.pop() ?? "";
  const when = events.length > 0 ? `${events.join(", ")} or ${last}` : last;
  const only = [
    isReadyColumn ? `only when ${isReadyColumn} is true` : "",
    watchedColIds.length > 0 ? `changes only in ${watchedColIds.join(", ")}` : "",
  ].filter((text) => text !== "");
  return [
    h("p", { class: "hook-url" }, h("code", {}, url)),
    h(
      "p",
      {},
      tableId === ""
        ? "Its table was deleted."
        : `When rows of ${tableId} are ${when}${only.length > 0 ? `; ${only.join("; ")}` : ""}.`,
    ),
    memo ? h("p", { class: "quiet memo" }, memo) : null,
  ];
}

function statusElements({ usage }: Webhook): Child[] {
  const { numWaiting, numDropped, lastEventBatch, lastSuccessTime, lastFailureTime, lastErrorMessage } = usage;
  const pair = (name: string, ...content: Child[]): Child[] => [h("dt", {}, name), h("dd", {}, ...content)];
  const at = (ms: number): HTMLElement => timeElement(new Date(ms).toISOString());
  const failed = lastEventBatch && lastEventBatch.status !== "success";
  return [
    ...(numWaiting > 0 ? pair("Queued", formatCount(numWaiting, "event", "events")) : []),
    ...(numDropped ? pair("Dropped", formatCount(numDropped, "event", "events")) : []),
    ...pair("Last delivery", lastDeliveryText(usage)),
    ...(lastSuccessTime ? pair("Last success", at(lastSuccessTime)) : []),
    ...(lastFailureTime
      ? pair("Last failure", at(lastFailureTime), failed && lastErrorMessage ? `: ${lastErrorMessage}` : null)
      : []),
  ];
}

function lastDeliveryText({ lastEventBatch, lastHttpStatus }: Webhook["usage"]): string {
  if (!lastEventBatch) return "Never";
  const { size, status, attempts } = lastEventBatch;
  const outcome = status === "success" ? "taken" : "failed";
  const by = lastHttpStatus ? ` with ${lastHttpStatus}` : "";
  return `${formatCount(size, "row", "rows")}, ${outcome}${by}${attempts > 1 ? ` at attempt ${attempts}` : ""}`;
}
