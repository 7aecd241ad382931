import type { WebhookSendResult } from "../../../../wire/webhooks/webhooks.ts";
import { h } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { formatDuration } from "../../../base/durations.ts";

/** The receiver's response to a delivery that was just sent. */
export function sendResultElement({
  success,
  httpStatus,
  answer,
  errorMessage,
  durationMs,
}: WebhookSendResult): HTMLElement {
  const message =
    httpStatus === null
      ? h("p", errorMessage === null ? {} : { translate: "no" }, errorMessage ?? t("webhooks.noResponse"))
      : h("p", {}, t("webhooks.responded", { status: String(httpStatus), duration: formatDuration(t, durationMs) }));
  return h(
    "div",
    { class: success ? "note" : "note problem", role: "status" },
    message,
    answer !== "" && h("pre", { tabindex: 0, translate: "no", "aria-label": t("webhooks.response") }, answer),
  );
}
