/** Builds elements. All content is inserted as text; nothing here parses HTML. */
import type { IconName } from "../icons.ts";
import { cutName } from "../names.ts";

export type Child = Node | string | number | null | undefined | false;

/** A text, or a text with elements. */
export type Content = string | readonly Child[];

/** Returns content as children of an element. */
export const contentChildren = (content: Content): readonly Child[] =>
  typeof content === "string" ? [content] : content;

type EventHandler = (event: Event) => void;

/**
 * Attributes by name: true sets one without a value, false and null omit it. A function under `onclick` and other `on…`
 * names becomes an event listener. The content security policy forbids inline styles; set `element.style` instead.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | EventHandler>>;

/** Creates an element: `h("button", { type: "button", onclick: save }, "Save")`. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...renderable(children));
  return element;
}

function setAttribute(element: Element, name: string, value: Attributes[string]): void {
  if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
  else if (name === "href" || name === "src") element.setAttribute(name, safeUrl(String(value ?? "")));
  else if (value !== null && value !== undefined && value !== false) {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Replaces URLs that run scripts by one without effect. */
export function safeUrl(address: string): string {
  try {
    const { protocol } = new URL(address, location.href);
    return /^(https?|mailto|tel|blob):$/.test(protocol) ? address : "#";
  } catch {
    return "#";
  }
}

const renderable = (children: readonly Child[]): (Node | string)[] =>
  children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));

/** Replaces the children of an element. */
export function replaceChildren(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...renderable(children));
}

/** Sets the text of an element. Reuses the existing text node, which is much faster in large tables. */
export function setText(element: Element, text: string): void {
  const { firstChild } = element;
  if (firstChild instanceof Text && firstChild === element.lastChild) firstChild.data = text;
  else element.textContent = text;
}

/** Returns the element that a selector matches, or null. */
export const findOptional = <E extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E | null => within.querySelector<E>(selector);

/**
 * Returns the element that a selector matches.
 * @throws Error when none matches: the page and its script do not fit
 */
export function find<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E {
  const found = within.querySelector<E>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** Creates the element of data on its own, which browsers do not translate. */
export const dataElement = (text: string): HTMLElement => h("bdi", { translate: "no" }, text);

/** Creates the element of a name in a sentence: a long one is cut, and its tooltip has it all. */
export function nameElement(text: string): HTMLElement {
  const short = cutName(text);
  return h("bdi", { translate: "no", ...(short !== text && { title: text }) }, short);
}

/** Creates the element of an English sentence of the API, of Python or of the docs. */
export const englishElement = (text: string): HTMLElement => h("bdi", { lang: "en", translate: "no" }, text);

const SVG = "http://www.w3.org/2000/svg";

/** Creates a decorative icon, hidden from screen readers. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.documentElement.dataset["icons"]}#${name}`);
  svg.append(use);
  return svg;
}

let nextId = 0;
/** Returns an id that is unique on the page, for labels and descriptions. */
export const newId = (prefix: string): string => `${prefix}-${++nextId}`;
