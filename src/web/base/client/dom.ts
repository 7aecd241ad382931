/** Builds elements. Whatever it is given is shown as text: nothing here ever reads HTML. */
import { ICONS, type IconName } from "../icons.ts";

export type Child = Node | string | number | null | undefined | false;

type EventHandler = (event: Event) => void;

/**
 * Attributes by name: true sets one without a value, false and null leave it out. A function under `onclick` and such
 * listens to that event. Inline styles are closed by the pages' policy; set `element.style` instead.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | EventHandler>>;

/** Makes an element: `h("button", { type: "button", onclick: save }, "Save")`. */
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

/** Addresses that run scripts become one that leads nowhere. */
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

/** Puts children in place of what an element holds. */
export function replaceChildren(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...renderable(children));
}

/** Shows a text as all that an element holds. The node that is there is used again, which spares large tables much. */
export function setText(element: Element, text: string): void {
  const { firstChild } = element;
  if (firstChild instanceof Text && firstChild === element.lastChild) firstChild.data = text;
  else element.textContent = text;
}

/** The element that a selector finds; null when there is none. */
export const findOptional = <E extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E | null => within.querySelector<E>(selector);

/**
 * The element that a selector finds.
 * @throws Error when there is none: the page and its script do not fit
 */
export function find<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E {
  const found = within.querySelector<E>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

const SVG = "http://www.w3.org/2000/svg";

/** A picture beside a text; it says nothing to a screen reader. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  for (const [key, value] of [
    ["class", "icon"],
    ["viewBox", "0 0 24 24"],
    ["aria-hidden", "true"],
  ] as const) {
    svg.setAttribute(key, value);
  }
  return svg;
}

let nextId = 0;
/** An id that nothing else on the page has, for labels and descriptions. */
export const newId = (prefix: string): string => `${prefix}-${++nextId}`;
