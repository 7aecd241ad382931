import type { WebhookAnswer } from "../../../wire/webhooks.ts";
import { h } from "../base/dom.ts";

/** What a receiver answered to something that was sent just now. */
export function answerElement({ success, httpStatus, answer, errorMessage, durationMs }: WebhookAnswer): HTMLElement {
  const time = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
  const said =
    httpStatus === null ? (errorMessage ?? "There was no answer.") : `The receiver answered ${httpStatus} in ${time}.`;
  return h(
    "div",
    { class: success ? "note" : "note problem", role: "status" },
    h("p", {}, said),
    answer !== "" && h("pre", { tabindex: 0, "aria-label": "The answer" }, answer),
  );
}
