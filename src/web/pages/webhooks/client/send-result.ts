import type { WebhookSendResult } from "../../../../wire/webhooks/webhooks.ts";
import { announce } from "../../../base/client/announce.ts";
import { h } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { formatDuration } from "../../../base/durations.ts";

/** Announces and returns the receiver's response to a delivery that was just sent. */
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
  announce(message);
  return h(
    "div",
    { class: success ? "note" : "note problem" },
    message,
    answer !== "" &&
      h("pre", { role: "group", tabindex: 0, translate: "no", "aria-label": t("webhooks.response") }, answer),
  );
}
