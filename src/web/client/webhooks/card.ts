/** One webhook on the page. */
import type { WebhookAnswer } from "../../../wire/webhooks.ts";
import { count } from "../../../lib/sizes.ts";
import type { Webhook } from "../../webhooks-data.ts";
import { api, wasStopped } from "../base/api.ts";
import { fill, h, icon, newId, type Child } from "../base/dom.ts";
import { attachMenu } from "../base/menu.ts";
import { clearProblem, showProblem } from "../base/problem.ts";
import { timeElement } from "../base/times.ts";
import { answerElement } from "./answer.ts";

export interface CardActions {
  readonly edit: (webhook: Webhook) => void;
  readonly deliveries: (webhook: Webhook) => void;
  readonly newSecret: (webhook: Webhook) => void;
  readonly clear: (webhook: Webhook) => void;
  readonly remove: (webhook: Webhook) => void;
  /** @throws Failure */
  readonly switch: (webhook: Webhook, isOn: boolean) => Promise<void>;
}

const STATES = {
  idle: { word: "Nothing waits", kind: "good" },
  sending: { word: "Sending", kind: "good" },
  retrying: { word: "Trying again", kind: "danger" },
  postponed: { word: "Postponed after many failures", kind: "danger" },
  error: { word: "Failed", kind: "danger" },
  invalid: { word: "Address not allowed", kind: "danger" },
} as const;

const EVENT_WORDS: Readonly<Record<string, string>> = { add: "added", update: "changed", remove: "removed" };

export const nameOf = ({ fields: { name, url } }: Webhook): string => name || hostOf(url);

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Keeps its buttons through updates, so that the focus stays where it is. */
export class Card {
  readonly element: HTMLElement;
  #webhook: Webhook;
  readonly #path: string;
  readonly #title = h("h2", { id: newId("hook") });
  readonly #badge = h("span", { class: "badge" });
  readonly #about = h("div", { class: "hook-about" });
  readonly #fares = h("dl", { class: "hook-fares" });
  readonly #place = h("div", { class: "problem-place" });
  readonly #switch = h("button", { type: "button", class: "plain small" });
  readonly #test = h("button", { type: "button", class: "plain small" }, icon("play"), "Send a test");
  #testing: AbortController | undefined;

  /** @param path of the webhook in the API */
  constructor(webhook: Webhook, path: string, actions: CardActions) {
    this.#webhook = webhook;
    this.#path = path;
    const button = (label: string, run: (webhook: Webhook) => void) =>
      h("button", { type: "button", class: "plain small", onclick: () => run(this.#webhook) }, label);
    const more = h("button", { type: "button", class: "bare", "aria-label": "More" }, icon("more"));
    attachMenu(more, () => [
      { label: "New signing secret", icon: "lock", run: () => actions.newSecret(this.#webhook) },
      { label: "Clear the queue", icon: "close", run: () => actions.clear(this.#webhook) },
      { label: "Delete", icon: "trash", isDangerous: true, run: () => actions.remove(this.#webhook) },
    ]);
    this.#switch.addEventListener("click", () => void this.#flip(actions));
    this.#test.addEventListener("click", () => void this.#sendTest());
    const deliveries = button("Deliveries", actions.deliveries);
    this.element = h(
      "section",
      { class: "card hook", "aria-labelledby": this.#title.id },
      h("div", { class: "hook-top" }, this.#title, this.#badge),
      this.#about,
      this.#fares,
      h("div", { class: "bar" }, this.#test, deliveries, button("Edit", actions.edit), this.#switch, more),
      this.#place,
    );
    this.update(webhook);
  }

  update(webhook: Webhook): void {
    this.#webhook = webhook;
    const { fields, usage } = webhook;
    const { word, kind } = fields.enabled ? STATES[usage.status] : { word: "Switched off", kind: "quiet" };
    this.#title.textContent = nameOf(webhook);
    this.#badge.className = `badge ${kind}`;
    this.#badge.textContent = word;
    this.#switch.textContent = fields.enabled ? "Switch off" : "Switch on";
    fill(this.#about, ...aboutElements(webhook));
    fill(this.#fares, ...faresElements(webhook));
  }

  async #flip(actions: CardActions): Promise<void> {
    clearProblem(this.#place);
    this.#switch.setAttribute("aria-disabled", "true");
    try {
      await actions.switch(this.#webhook, !this.#webhook.fields.enabled);
    } catch (error) {
      showProblem(this.#place, error, { retry: () => void this.#flip(actions) });
    } finally {
      this.#switch.removeAttribute("aria-disabled");
    }
  }

  async #sendTest(): Promise<void> {
    if (this.#testing) return;
    const work = new AbortController();
    this.#testing = work;
    const cancel = () => work.abort();
    fill(
      this.#place,
      h(
        "div",
        { class: "bar" },
        h("span", { class: "quiet", role: "status" }, "Waiting for the receiver …"),
        h("button", { type: "button", class: "plain small", onclick: cancel }, "Cancel"),
      ),
    );
    try {
      const answer = await api<WebhookAnswer>(`${this.#path}/test`, { method: "POST", body: {}, signal: work.signal });
      fill(this.#place, answerElement(answer));
    } catch (error) {
      showProblem(this.#place, error, { retry: () => void this.#sendTest() });
      if (wasStopped(error)) this.#test.focus();
    } finally {
      this.#testing = undefined;
    }
  }
}

function aboutElements({ fields }: Webhook): Child[] {
  const { url, tableId, eventTypes, isReadyColumn, watchedColIds, memo } = fields;
  const events = eventTypes.map((event) => EVENT_WORDS[event] ?? event);
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
        ? "Its table is gone."
        : `When rows of ${tableId} are ${when}${only.length > 0 ? `; ${only.join("; ")}` : ""}.`,
    ),
    memo ? h("p", { class: "quiet memo" }, memo) : null,
  ];
}

function faresElements({ usage }: Webhook): Child[] {
  const { numWaiting, numDropped, lastEventBatch, lastSuccessTime, lastFailureTime, lastErrorMessage } = usage;
  const pair = (name: string, ...content: Child[]): Child[] => [h("dt", {}, name), h("dd", {}, ...content)];
  const at = (ms: number): HTMLElement => timeElement(new Date(ms).toISOString());
  const failed = lastEventBatch && lastEventBatch.status !== "success";
  return [
    ...(numWaiting > 0 ? pair("Waiting", count(numWaiting, "event", "events")) : []),
    ...(numDropped ? pair("Dropped", count(numDropped, "event", "events")) : []),
    ...pair("Last delivery", deliveryText(usage)),
    ...(lastSuccessTime ? pair("Last success", at(lastSuccessTime)) : []),
    ...(lastFailureTime
      ? pair("Last failure", at(lastFailureTime), failed && lastErrorMessage ? `: ${lastErrorMessage}` : null)
      : []),
  ];
}

function deliveryText({ lastEventBatch, lastHttpStatus }: Webhook["usage"]): string {
  if (!lastEventBatch) return "none yet";
  const { size, status, attempts } = lastEventBatch;
  const outcome = status === "success" ? "taken" : "failed";
  const by = lastHttpStatus ? ` with ${lastHttpStatus}` : "";
  return `${count(size, "row", "rows")}, ${outcome}${by}${attempts > 1 ? ` at try ${attempts}` : ""}`;
}
