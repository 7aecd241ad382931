/** The last tries of a webhook: what was sent, what was answered, and sending it again. */
import type { WebhookAnswer, WebhookDelivery, WebhookDeliveryContent } from "../../../wire/webhooks.ts";
import { api } from "../base/api.ts";
import { type OpenDialog, openDialog, refill } from "../base/dialog.ts";
import { fill, h, icon } from "../base/dom.ts";
import { showProblem } from "../base/problem.ts";
import { timeElement } from "../base/times.ts";
import { count } from "../../../lib/sizes.ts";
import { answerElement } from "./answer.ts";

const SHOWN_CHARACTERS = 100_000;

/** @param path of the webhook in the API */
export function showDeliveries(path: string, name: string): void {
  const closed = new AbortController();
  const dialog = openDialog({
    title: `Deliveries to ${name}`,
    wide: true,
    content: [h("p", { class: "quiet", role: "status" }, "Loading …")],
    onClose: () => closed.abort(),
  });
  void load(dialog, path, closed.signal);
}

async function load(dialog: OpenDialog, path: string, signal: AbortSignal): Promise<void> {
  const place = h("div", { class: "problem-place" });
  try {
    const { deliveries } = await api<{ deliveries: WebhookDelivery[] }>(`${path}/deliveries`, { signal });
    const again = () => void load(dialog, path, signal);
    const refresh = h("button", { type: "button", class: "plain small", onclick: again }, icon("refresh"), "Refresh");
    if (deliveries.length === 0) {
      refill(dialog, h("p", {}, "Nothing was sent to this webhook yet."), h("div", { class: "bar" }, refresh));
      return;
    }
    refill(
      dialog,
      h(
        "div",
        { class: "bar" },
        h("p", { class: "quiet" }, "The last 50 tries, newest first."),
        h("span", { class: "grow" }),
        refresh,
      ),
      h("div", { class: "deliveries" }, ...deliveries.map((delivery) => deliveryElement(delivery, path, signal))),
    );
  } catch (error) {
    refill(dialog, place);
    showProblem(place, error, { retry: () => void load(dialog, path, signal) });
  }
}

function deliveryElement(delivery: WebhookDelivery, path: string, signal: AbortSignal): HTMLElement {
  const { time, size, attempt, status, httpStatus, durationMs } = delivery;
  const isGood = status === "success";
  const content = h("div", { class: "delivery-content" });
  const element = h(
    "details",
    { class: "delivery" },
    h(
      "summary",
      {},
      h(
        "span",
        { class: isGood ? "badge good" : "badge danger" },
        httpStatus === null ? "no answer" : String(httpStatus),
      ),
      timeElement(time, "time"),
      h("span", {}, count(size, "row", "rows")),
      h("span", { class: "quiet" }, `${attempt > 1 ? `try ${attempt}, ` : ""}${Math.round(durationMs)} ms`),
    ),
    content,
  );
  const one = `${path}/deliveries/${delivery.id}`;
  const loadContent = async () => {
    fill(content, h("p", { class: "quiet", role: "status" }, "Loading …"));
    try {
      fill(content, ...contentElements(await api<WebhookDeliveryContent>(one, { signal }), one, signal));
    } catch (error) {
      showProblem(content, error, { retry: () => void loadContent() });
    }
  };
  element.addEventListener("toggle", () => {
    if (element.open && !content.hasChildNodes()) void loadContent();
  });
  return element;
}

function contentElements(delivery: WebhookDeliveryContent, one: string, signal: AbortSignal): HTMLElement[] {
  const { body, answer, errorMessage, messageId, event } = delivery;
  const outcome = h("div", { class: "problem-place" });
  const again = async () => {
    button.disabled = true;
    fill(outcome, h("p", { class: "quiet", role: "status" }, "Sending …"));
    try {
      fill(outcome, answerElement(await api<WebhookAnswer>(`${one}/redeliver`, { method: "POST", body: {}, signal })));
    } catch (error) {
      showProblem(outcome, error, { retry: () => void again() });
    } finally {
      button.disabled = false;
    }
  };
  const button = h(
    "button",
    { type: "button", class: "plain small", onclick: () => void again() },
    icon("redo"),
    "Send again",
  );
  const said = answer || errorMessage;
  return [
    h("h3", {}, event === "removed" ? "Sent: rows as they were before they were removed" : "Sent"),
    h("pre", { tabindex: 0, "aria-label": "What was sent" }, indented(body)),
    h("h3", {}, "Answered"),
    said
      ? h("pre", { tabindex: 0, "aria-label": "What was answered" }, said)
      : h("p", { class: "quiet" }, "Nothing but the status."),
    h("p", { class: "quiet" }, `webhook-id: ${messageId}`),
    h("div", { class: "bar" }, button),
    outcome,
  ];
}

/** JSON with line breaks, as far as somebody would read it. */
function indented(body: string): string {
  const text = body.length > SHOWN_CHARACTERS ? body : JSON.stringify(JSON.parse(body), null, 2);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text;
}
