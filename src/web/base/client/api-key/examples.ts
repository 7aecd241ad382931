import { h, findOptional } from "../dom.ts";
import { copyButton } from "../copy.ts";
import { t } from "../texts.ts";

/** The placeholder of the key in examples, at its first occurrence. */
const KEY_PLACEHOLDER = /\$KEY|YOUR_KEY/;

let originalTexts = new Map<HTMLElement, string>();
let currentKey: string | null = null;

/** Adds a copy button to every example of the page. */
export function prepareExamples(): void {
  originalTexts = new Map();
  for (const element of document.querySelectorAll<HTMLElement>("pre[data-example]")) {
    originalTexts.set(element, element.textContent ?? "");
    const title = findOptional("h2, h3", element.closest("section") ?? element)?.textContent ?? "";
    const copy = copyButton(
      title ? t("base.key.copyNamedExample", { title }) : t("base.key.copyExample"),
      () => element.textContent ?? "",
    );
    element.after(h("div", { class: "bar example-bar" }, copy));
  }
  showKeyInExamples(currentKey);
}

/** Inserts a key into all examples; null removes it again. Changes the page only. */
export function showKeyInExamples(key: string | null): void {
  currentKey = key;
  for (const [element, text] of originalTexts) {
    // The placeholder precedes any text from the document.
    element.textContent = key === null ? text : text.replace(KEY_PLACEHOLDER, () => key);
  }
}
