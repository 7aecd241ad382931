/** The most recent deliveries of a webhook: request, response, and sending again. */
import type { WebhookSendResult, WebhookDelivery, WebhookDeliveryContent } from "../../../../wire/webhooks/webhooks.ts";
import { announce } from "../../../base/client/announce.ts";
import { api } from "../../../base/client/api.ts";
import { type OpenDialog, openDialog, replaceContent } from "../../../base/client/dialog.ts";
import { replaceChildren, h, icon, nameElement } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { timeElement } from "../../../base/client/times.ts";
import { formatDuration } from "../../../base/durations.ts";
import { sendResultElement } from "./send-result.ts";

const MAX_BODY_CHARACTERS = 100_000;

/** @param path of the webhook in the API */
export function showDeliveries(path: string, name: string): void {
  const abort = new AbortController();
  const dialog = openDialog({
    title: t.rich("webhooks.deliveries.title", { name: nameElement(name) }),
    wide: true,
    content: [h("p", { class: "quiet" }, t("base.loading"))],
    onClose: () => abort.abort(),
  });
  void load(dialog, path, abort.signal);
}

async function load(dialog: OpenDialog, path: string, signal: AbortSignal): Promise<void> {
  const container = h("div", { class: "problem-place" });
  try {
    const { deliveries } = await api<{ deliveries: WebhookDelivery[] }>(`${path}/deliveries`, { signal });
    const again = () => void load(dialog, path, signal);
    const refresh = h(
      "button",
      { type: "button", class: "plain small", onclick: again },
      icon("refresh-cw"),
      t("webhooks.deliveries.refresh"),
    );
    if (deliveries.length === 0) {
      replaceContent(dialog, h("p", {}, t("webhooks.deliveries.none")), h("div", { class: "bar" }, refresh));
      return;
    }
    replaceContent(
      dialog,
      h(
        "div",
        { class: "bar" },
        h("p", { class: "quiet" }, t("webhooks.deliveries.hint")),
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
        httpStatus === null ? t("webhooks.deliveries.noResponse") : h("span", { translate: "no" }, String(httpStatus)),
      ),
      timeElement(time, "time"),
      h("span", {}, t("table.count", { count: size })),
      h("span", { class: "quiet" }, attemptText(attempt, durationMs)),
    ),
    content,
  );
  const deliveryPath = `${path}/deliveries/${delivery.id}`;
  const loadContent = async () => {
    replaceChildren(content, h("p", { class: "quiet" }, t("base.loading")));
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
    if (isBusy(button)) return;
    setBusy(button, true);
    replaceChildren(outcome, h("p", { class: "quiet" }, t("webhooks.sending")));
    announce(t("webhooks.sending"));
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
      setBusy(button, false);
    }
  };
  const button = h(
    "button",
    { type: "button", class: "plain small", onclick: () => void redeliver() },
    icon("redo-2"),
    t("webhooks.deliveries.again"),
  );
  const responseText = answer || errorMessage;
  return [
    h("h3", {}, t(event === "removed" ? "webhooks.deliveries.requestRemoved" : "webhooks.deliveries.request")),
    h(
      "pre",
      { role: "group", tabindex: 0, translate: "no", "aria-label": t("webhooks.deliveries.requestBody") },
      indentJson(body),
    ),
    h("h3", {}, t("webhooks.deliveries.response")),
    responseText
      ? h(
          "pre",
          { role: "group", tabindex: 0, translate: "no", "aria-label": t("webhooks.deliveries.responseBody") },
          responseText,
        )
      : h("p", { class: "quiet" }, t("webhooks.deliveries.noBody")),
    h("p", { class: "quiet", translate: "no" }, `webhook-id: ${messageId}`),
    h("div", { class: "bar" }, button),
    outcome,
  ];
}

function attemptText(attempt: number, durationMs: number): string {
  const duration = formatDuration(t, durationMs);
  return attempt > 1 ? t("webhooks.deliveries.attempt", { attempt, duration }) : duration;
}

/** Pretty-prints JSON, cut to a readable length. */
function indentJson(body: string): string {
  const text = body.length > MAX_BODY_CHARACTERS ? body : JSON.stringify(JSON.parse(body), null, 2);
  return text.length > MAX_BODY_CHARACTERS ? `${text.slice(0, MAX_BODY_CHARACTERS)} …` : text;
}
