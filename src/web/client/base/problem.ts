/** Says what went wrong in the place where it did, with the way on. */
import { Failure, sentenceOf, wasStopped } from "./api.ts";
import { fill, h, icon } from "./dom.ts";

export interface ProblemOptions {
  /** Does again what failed; offered as a button where that may help. */
  readonly retry?: () => void;
  /** Whether the person can close it: where nothing else would remove it. */
  readonly canClose?: boolean;
}

/**
 * Shows an error inside an element, which keeps its place on the page; what was stopped by the person says nothing.
 * A refusal says why; a session that ended links to signing in, in a window of its own, so that nothing typed is lost.
 */
export function showProblem(place: Element, error: unknown, { retry, canClose = false }: ProblemOptions = {}): void {
  if (wasStopped(error)) return clearProblem(place);
  if (!(error instanceof Failure)) reportError(error);
  const isSession = error instanceof Failure && error.kind === "session";
  const mayHelp = !(error instanceof Failure) || error.kind !== "refused" || error.retryAfterS !== null;
  fill(
    place,
    h(
      "div",
      { class: "note problem", role: "alert" },
      h("p", {}, sentenceOf(error)),
      isSession && h("a", { href: "/sign-in", target: "_blank", rel: "noopener" }, "Sign in"),
      retry && mayHelp && h("button", { type: "button", class: "plain", onclick: retry }, "Try again"),
      canClose &&
        h(
          "button",
          { type: "button", class: "bare", "aria-label": "Close", onclick: () => clearProblem(place) },
          icon("close"),
        ),
    ),
  );
}

export const clearProblem = (place: Element): void => place.replaceChildren();
