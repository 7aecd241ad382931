/**
 * The live region of the page: the only one, so that screen readers speak every message once and in order. Messages
 * are shown elsewhere, by elements without a live role.
 */
import { findOptional, h } from "./dom.ts";

/** Long enough for screen readers to notice the emptied region; messages of this time are spoken together. */
const COLLECT_MS = 100;

interface Message {
  readonly text: string;
  readonly topic: string | null;
  /** The elements of the message keep their language. */
  readonly content: readonly (Node | string)[];
}

let pending: Message[] = [];

/**
 * Speaks a text, or the content of an element, to screen readers after what they are reading. The same text can be
 * spoken repeatedly.
 * @param topic replaces a pending message about the same: only the last count of a search is of interest
 */
export function announce(message: string | Element, topic: string | null = null): void {
  const text = typeof message === "string" ? message : (message.textContent ?? "");
  if (text === "" || pending.some((each) => each.text === text && each.topic === topic)) return;
  const isWaiting = pending.length > 0;
  if (topic !== null) pending = pending.filter((each) => each.topic !== topic);
  const content = typeof message === "string" ? [message] : spokenContent(message);
  pending.push({ text, topic, content });
  if (isWaiting) return;
  const region = statusElement();
  region.textContent = "";
  setTimeout(() => {
    region.append(...pending.flatMap(({ content: parts }, at) => (at === 0 ? parts : [" ", ...parts])));
    pending = [];
  }, COLLECT_MS);
}

/** The texts of an element, and its data in their own language; links and buttons exist once, where they are shown. */
const spokenContent = (element: Element): (Node | string)[] =>
  [...element.childNodes].flatMap((node) =>
    node instanceof Element && node.localName !== "bdi" ? spokenContent(node) : [node.cloneNode(true)],
  );

/** Speaks the messages that the server rendered: browsers speak only changes of a live region. */
export function announceMessages(): void {
  for (const message of document.querySelectorAll("[data-announce]")) announce(message);
}

/**
 * Moves the live region and the toasts into the top modal dialog, if any: the rest of the page is inert, which means
 * neither spoken nor clickable.
 */
export function moveMessages(): void {
  const host = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  const toasts = findOptional("#toasts");
  host.append(statusElement(), ...(toasts ? [toasts] : []));
}

function statusElement(): HTMLElement {
  const found = findOptional("#live-region");
  if (found) return found;
  const made = h("p", { id: "live-region", class: "unseen", role: "status" });
  document.body.append(made);
  return made;
}
