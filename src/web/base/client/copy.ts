/** Copy buttons, and copying from elsewhere. */
import { announce } from "./announce.ts";
import { h, icon } from "./dom.ts";
import { t } from "./texts.ts";
import { showToast } from "./toast.ts";

const COPIED_SHOWN_MS = 2000;

/**
 * Creates a button that copies a text to the clipboard and confirms it.
 * @param label for screen readers: "Copy the secret"
 */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const buttonLabel = h("span", {}, t("base.copy"));
  const button = h(
    "button",
    { type: "button", class: "plain small copy", "aria-label": label, onclick: () => void copy() },
    icon("copy"),
    buttonLabel,
  );
  const copy = async () => {
    if (!(await copyText(text()))) return;
    buttonLabel.textContent = t("base.copied");
    button.setAttribute("aria-label", t("base.copied"));
    announce(t("base.copied"));
    setTimeout(() => {
      buttonLabel.textContent = t("base.copy");
      button.setAttribute("aria-label", label);
    }, COPIED_SHOWN_MS);
  };
  return button;
}

/** Copies a text to the clipboard. Resolves to false when the browser refuses, which is shown. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showToast(t("base.copyRefused"), { problem: true });
    return false;
  }
}
