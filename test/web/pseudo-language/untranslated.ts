/** What a page in the pseudo-language shows that is not from the catalogue, and what does not fit the window. */
import type { Page } from "playwright-core";

/**
 * Returns texts outside of ⟦…⟧: content, also hidden content, the title, and attributes that people read. Data are
 * marked with `translate="no"`; times are formatted by `Intl`.
 */
export const untranslated = (page: Page): Promise<string[]> => page.evaluate<string[]>(`(${findUntranslated})()`);

/** Runs in the page. A letter counts as translated between ⟦ and ⟧ in document order, within one block. */
const findUntranslated = `() => {
  const ATTRIBUTES = ["aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "alt", "label",
    "placeholder", "title"];
  const found = [];
  const outside = (text) => {
    let depth = 0;
    let rest = "";
    for (const char of text) {
      if (char === "⟦") depth++;
      else if (char === "⟧") depth--;
      else if (depth === 0) rest += char;
    }
    return depth === 0 ? rest : text;
  };
  const hasLetters = (text) => /\\p{L}/u.test(text);
  const describe = (element) => {
    const parts = [];
    for (let at = element; at && at !== document.body && parts.length < 4; at = at.parentElement) {
      parts.unshift(at.localName + (at.id ? "#" + at.id : "") + (at.classList[0] ? "." + at.classList[0] : ""));
    }
    return parts.join(" > ");
  };
  const report = (element, what, text) => found.push(what + " “" + text.trim().slice(0, 80) + "” in " + describe(element));
  // The live region repeats messages, without their marks for data.
  const isData = (element) => element.translate === false || element.localName === "time" || element.id === "live-region";
  const isInline = (element) => /^(inline|contents)/.test(getComputedStyle(element).display);
  const NO_TEXT = new Set(["script", "style", "template", "svg"]);
  let depth = 0;
  const visit = (element) => {
    if (NO_TEXT.has(element.localName) || isData(element)) return;
    for (const name of ATTRIBUTES) {
      const value = element.getAttribute(name);
      if (value !== null && hasLetters(outside(value))) report(element, name, value);
    }
    if (element.localName === "input" && /^(button|submit|reset)$/.test(element.type) && hasLetters(outside(element.value)))
      report(element, "value", element.value);
    // Its content is what people have typed.
    if (element.localName === "textarea") return;
    if (element.localName === "noscript") {
      // With a script, its content is text.
      const text = element.textContent.replaceAll(/<[^>]*>/g, "");
      if (hasLetters(outside(text))) report(element, "text", text);
      return;
    }
    const before = depth;
    for (const node of element.childNodes) {
      if (node instanceof Element) visit(node);
      if (!(node instanceof Text)) continue;
      let rest = "";
      for (const char of node.data) {
        if (char === "⟦") depth++;
        else if (char === "⟧") depth--;
        else if (depth === 0) rest += char;
      }
      if (hasLetters(rest)) report(element, "text", node.data);
    }
    if (depth !== before && !isInline(element)) {
      report(element, "unbalanced brackets", element.textContent ?? "");
      depth = before;
    }
  };
  visit(document.body);
  if (hasLetters(outside(document.title))) found.push("title “" + document.title + "”");
  return [...new Set(found)];
}`;

/**
 * Returns what does not fit the window: a page that scrolls horizontally, texts beyond the edge of the window, and
 * texts that their element cuts off. Within parts that scroll horizontally, texts may be beyond the edge.
 */
export const overflowing = (page: Page): Promise<string[]> => page.evaluate<string[]>(`(${findOverflowing})()`);

const findOverflowing = `() => {
  const found = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.push("the page is " + document.documentElement.scrollWidth + " px wide");
  const scrolls = (element) => /^(auto|scroll)$/.test(getComputedStyle(element).overflowX) && element !== document.documentElement;
  const isInScroller = (element) => {
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) if (scrolls(at)) return true;
    return false;
  };
  // Hidden from view, for screen readers.
  const isUnseen = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const { width, height } = at.getBoundingClientRect();
      if (width <= 1 && height <= 1 && getComputedStyle(at).display !== "contents") return true;
    }
    return false;
  };
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const ownText = [...element.childNodes].filter((node) => node instanceof Text).map(({ data }) => data).join("");
    if (!/[⟦⟧]/.test(ownText)) continue;
    const box = element.getBoundingClientRect();
    if (isUnseen(element) || box.bottom <= 0 || box.right <= 0) continue;
    // Chips of conditions and cells are cut, and have the whole text in their tooltip.
    if (element.closest(".view-chip > [title], .grid .cell[title]")) continue;
    const text = ownText.trim().slice(0, 60);
    if ((box.right > width + 1 || box.left < -1) && !isInScroller(element)) {
      found.push("“" + text + "” is from " + Math.round(box.left) + " to " + Math.round(box.right));
    }
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at);
      const outer = at.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(element);
      const inner = range.getBoundingClientRect();
      const cutX = /^(hidden|clip)$/.test(overflowX) && (inner.right > outer.right + 1 || inner.left < outer.left - 1);
      const cutY = /^(hidden|clip)$/.test(overflowY) && (inner.bottom > outer.bottom + 2 || inner.top < outer.top - 2);
      if (cutX || cutY) {
        found.push("“" + text + "” is cut by " + at.localName + (at.classList[0] ? "." + at.classList[0] : ""));
        break;
      }
      if (scrolls(at)) break;
    }
  }
  return [...new Set(found)];
}`;
