/** The most recent deliveries of a webhook: request, response, and sending again. */
import type { WebhookSendResult, WebhookDelivery, WebhookDeliveryContent } from "../../../../wire/webhooks/webhooks.ts";
import { api } from "../../../base/client/api.ts";
import { type OpenDialog, openDialog, replaceContent } from "../../../base/client/dialog.ts";
import { replaceChildren, h, icon } from "../../../base/client/dom.ts";
import { showError } from "../../../base/client/problem.ts";
import { timeElement } from "../../../base/client/times.ts";
import { formatCount } from "../../../../lib/text/formatting.ts";
import { sendResultElement } from "./send-result.ts";

const MAX_BODY_CHARACTERS = 100_000;

/** @param path of the webhook in the API */
export function showDeliveries(path: string, name: string): void {
  const abort = new AbortController();
  const dialog = openDialog({
    title: `Deliveries to ${name}`,
    wide: true,
    content: [h("p", { class: "quiet", role: "status" }, "Loading …")],
    onClose: () => abort.abort(),
  });
  void load(dialog, path, abort.signal);
}

async function load(dialog: OpenDialog, path: string, signal: AbortSignal): Promise<void> {
  const container = h("div", { class: "problem-place" });
  try {
    const { deliveries } = await api<{ deliveries: WebhookDelivery[] }>(`${path}/deliveries`, { signal });
    const again = () => void load(dialog, path, signal);
    const refresh = h("button", { type: "button", class: "plain small", onclick: again }, icon("refresh"), "Refresh");
    if (deliveries.length === 0) {
      replaceContent(dialog, h("p", {}, "No deliveries yet."), h("div", { class: "bar" }, refresh));
      return;
    }
    replaceContent(
      dialog,
      h(
        "div",
        { class: "bar" },
        h("p", { class: "quiet" }, "The last 50 attempts, newest first."),
        h("span", { class: "grow" }),
        refresh,
      ),
      h("div", { class: "deliveries" }, ...deliveries.map((delivery) => deliveryElement(delivery, path, signal))),
    );
  } catch (error) {
    replaceContent(dialog, container);
    showError(container, error, { retry: () => void load(dialog, path, signal) });
  }
}

function deliveryElement(delivery: WebhookDelivery, path: string, signal: AbortSignal): HTMLElement {
  const { time, size, attempt, status, httpStatus, durationMs } = delivery;
  const isSuccess = status === "success";
  const content = h("div", { class: "delivery-content" });
  const element = h(
    "details",
    { class: "delivery" },
    h(
      "summary",
      {},
      h(
        "span",
        { class: isSuccess ? "badge good" : "badge danger" },
        httpStatus === null ? "no response" : String(httpStatus),
      ),
      timeElement(time, "time"),
      h("span", {}, formatCount(size, "row", "rows")),
      h("span", { class: "quiet" }, `${attempt > 1 ? `attempt ${attempt}, ` : ""}${Math.round(durationMs)} ms`),
    ),
    content,
  );
  const deliveryPath = `${path}/deliveries/${delivery.id}`;
  const loadContent = async () => {
    replaceChildren(content, h("p", { class: "quiet", role: "status" }, "Loading …"));
    try {
      replaceChildren(
        content,
        ...contentElements(await api<WebhookDeliveryContent>(deliveryPath, { signal }), deliveryPath, signal),
      );
    } catch (error) {
      showError(content, error, { retry: () => void loadContent() });
    }
  };
  element.addEventListener("toggle", () => {
    if (element.open && !content.hasChildNodes()) void loadContent();
  });
  return element;
}

function contentElements(delivery: WebhookDeliveryContent, deliveryPath: string, signal: AbortSignal): HTMLElement[] {
  const { body, answer, errorMessage, messageId, event } = delivery;
  const outcome = h("div", { class: "problem-place" });
  const redeliver = async () => {
    button.disabled = true;
    replaceChildren(outcome, h("p", { class: "quiet", role: "status" }, "Sending …"));
    try {
      replaceChildren(
        outcome,
        sendResultElement(
          await api<WebhookSendResult>(`${deliveryPath}/redeliver`, { method: "POST", body: {}, signal }),
        ),
      );
    } catch (error) {
      showError(outcome, error, { retry: () => void redeliver() });
    } finally {
      button.disabled = false;
    }
  };
  const button = h(
    "button",
    { type: "button", class: "plain small", onclick: () => void redeliver() },
    icon("redo"),
    "Send again",
  );
  const responseText = answer || errorMessage;
  return [
    h("h3", {}, event === "removed" ? "Request: rows before they were deleted" : "Request"),
    h("pre", { tabindex: 0, "aria-label": "Request body" }, indentJson(body)),
    h("h3", {}, "Response"),
    responseText
      ? h("pre", { tabindex: 0, "aria-label": "Response body" }, responseText)
      : h("p", { class: "quiet" }, "No response body."),
    h("p", { class: "quiet" }, `webhook-id: ${messageId}`),
    h("div", { class: "bar" }, button),
    outcome,
  ];
}

/** Pretty-prints JSON, cut to a readable length. */
function indentJson(body: string): string {
  const text = body.length > MAX_BODY_CHARACTERS ? body : JSON.stringify(JSON.parse(body), null, 2);
  return text.length > MAX_BODY_CHARACTERS ? `${text.slice(0, MAX_BODY_CHARACTERS)} …` : text;
}
