import type { WebhookSendResult } from "../../../../wire/webhooks/webhooks.ts";
import { h } from "../../../base/client/dom.ts";

/** The receiver's response to a delivery that was just sent. */
export function sendResultElement({
  success,
  httpStatus,
  answer,
  errorMessage,
  durationMs,
}: WebhookSendResult): HTMLElement {
  const time = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
  const message =
    httpStatus === null ? (errorMessage ?? "No response.") : `The receiver responded with ${httpStatus} in ${time}.`;
  return h(
    "div",
    { class: success ? "note" : "note problem", role: "status" },
    h("p", {}, message),
    answer !== "" && h("pre", { tabindex: 0, "aria-label": "Response" }, answer),
  );
}
