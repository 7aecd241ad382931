import { h, findOptional } from "../dom.ts";
import { copyButton } from "../copy.ts";

/** What stands for the key in examples, where it comes first. */
const KEY_PLACEHOLDER = /\$KEY|YOUR_KEY/;

let originalTexts = new Map<HTMLElement, string>();
let currentKey: string | null = null;

/** Finds the examples of the page, and gives each a button that copies it. */
export function prepareExamples(): void {
  originalTexts = new Map();
  for (const element of document.querySelectorAll<HTMLElement>("pre[data-example]")) {
    originalTexts.set(element, element.textContent ?? "");
    const title = findOptional("h2", element.closest("section") ?? element)?.textContent ?? "";
    const copy = copyButton(`Copy the example${title && ` “${title}”`}`, () => element.textContent ?? "");
    element.after(h("div", { class: "bar example-bar" }, copy));
  }
  showKeyInExamples(currentKey);
}

/** Puts a key into all examples; null takes it out again. Only what is on the page changes. */
export function showKeyInExamples(key: string | null): void {
  currentKey = key;
  for (const [element, text] of originalTexts) {
    // Examples name the key before anything that people have put into the document.
    element.textContent = key === null ? text : text.replace(KEY_PLACEHOLDER, () => key);
  }
}
