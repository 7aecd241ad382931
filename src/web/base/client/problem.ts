/** Shows errors where they occurred, with the next step. */
import { errorHelpLink } from "../help/help-links.ts";
import { announce } from "./announce.ts";
import { ApiError, errorContent, isAborted } from "./api.ts";
import { replaceChildren, h, icon } from "./dom.ts";
import { t } from "./texts.ts";

export interface ErrorDisplayOptions {
  /** Retries the failed action; offered as a button where that may help. */
  readonly retry?: () => void;
  /** Whether the user can dismiss it: where nothing else would remove it. */
  readonly canClose?: boolean;
}

/**
 * Shows an error inside an element, which keeps its place on the page; cancelled actions show nothing. Links
 * open a new window, so that input is not lost: for an ended session the sign-in page, else the help about the error.
 */
export function showError(
  container: Element,
  error: unknown,
  { retry, canClose = false }: ErrorDisplayOptions = {},
): void {
  if (isAborted(error)) return clearError(container);
  if (!(error instanceof ApiError)) reportError(error);
  const isSession = error instanceof ApiError && error.kind === "session";
  const code = error instanceof ApiError ? error.details["code"] : null;
  const help = typeof code === "string" ? errorHelpLink(code) : null;
  const canRetry = !(error instanceof ApiError) || error.kind !== "refused" || error.retryAfterS !== null;
  const text = h("p", {}, ...errorContent(error));
  replaceChildren(
    container,
    h(
      "div",
      { class: "note problem" },
      text,
      isSession && h("a", { href: "/sign-in", target: "_blank", rel: "noopener" }, t("problem.signIn")),
      help !== null && h("a", { href: help, target: "_blank", rel: "noopener" }, t("base.menu.help")),
      retry && canRetry && h("button", { type: "button", class: "plain", onclick: retry }, t("base.retry")),
      canClose &&
        h(
          "button",
          { type: "button", class: "bare", "aria-label": t("base.close"), onclick: () => clearError(container) },
          icon("x"),
        ),
    ),
  );
  announce(text);
}

export const clearError = (container: Element): void => container.replaceChildren();
