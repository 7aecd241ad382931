import { h, maybe } from "../base/dom.ts";
import { copyButton } from "../base/copy.ts";

/** What stands for the key in examples, where it comes first. */
const PLACES = /\$KEY|YOUR_KEY/;

let originals = new Map<HTMLElement, string>();
let filled: string | null = null;

/** Finds the examples of the page, and gives each a button that copies it. */
export function prepareExamples(): void {
  originals = new Map();
  for (const element of document.querySelectorAll<HTMLElement>("pre[data-example]")) {
    originals.set(element, element.textContent ?? "");
    const title = maybe("h2", element.closest("section") ?? element)?.textContent ?? "";
    const copy = copyButton(`Copy the example${title && ` “${title}”`}`, () => element.textContent ?? "");
    element.after(h("div", { class: "bar example-bar" }, copy));
  }
  fillKey(filled);
}

/** Puts a key into all examples; null takes it out again. Only what is on the page changes. */
export function fillKey(key: string | null): void {
  filled = key;
  for (const [element, text] of originals) {
    // Examples name the key before anything that people have put into the document.
    element.textContent = key === null ? text : text.replace(PLACES, () => key);
  }
}
