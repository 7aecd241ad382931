/** Says what went wrong in the place where it did, with the way on. */
import { ApiError, errorMessage, isAborted } from "./api.ts";
import { replaceChildren, h, icon } from "./dom.ts";

export interface ErrorDisplayOptions {
  /** Does again what failed; offered as a button where that may help. */
  readonly retry?: () => void;
  /** Whether the person can close it: where nothing else would remove it. */
  readonly canClose?: boolean;
}

/**
 * Shows an error inside an element, which keeps its place on the page; what was stopped by the person says nothing.
 * A refusal says why; a session that ended links to signing in, in a window of its own, so that nothing typed is lost.
 */
export function showError(
  container: Element,
  error: unknown,
  { retry, canClose = false }: ErrorDisplayOptions = {},
): void {
  if (isAborted(error)) return clearError(container);
  if (!(error instanceof ApiError)) reportError(error);
  const isSession = error instanceof ApiError && error.kind === "session";
  const canRetry = !(error instanceof ApiError) || error.kind !== "refused" || error.retryAfterS !== null;
  replaceChildren(
    container,
    h(
      "div",
      { class: "note problem", role: "alert" },
      h("p", {}, errorMessage(error)),
      isSession && h("a", { href: "/sign-in", target: "_blank", rel: "noopener" }, "Sign in"),
      retry && canRetry && h("button", { type: "button", class: "plain", onclick: retry }, "Try again"),
      canClose &&
        h(
          "button",
          { type: "button", class: "bare", "aria-label": "Close", onclick: () => clearError(container) },
          icon("close"),
        ),
    ),
  );
}

export const clearError = (container: Element): void => container.replaceChildren();
