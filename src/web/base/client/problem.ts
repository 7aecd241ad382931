/** Shows errors where they occurred, with the next step. */
import { ApiError, errorMessage, isAborted } from "./api.ts";
import { replaceChildren, h, icon } from "./dom.ts";

export interface ErrorDisplayOptions {
  /** Retries the failed action; offered as a button where that may help. */
  readonly retry?: () => void;
  /** Whether the user can dismiss it: where nothing else would remove it. */
  readonly canClose?: boolean;
}

/**
 * Shows an error inside an element, which keeps its place on the page; cancelled actions show nothing. For an ended
 * session links to signing in, in a new window, so that input is not lost.
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
