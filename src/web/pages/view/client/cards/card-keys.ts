/** Keys of cards: on a card they move to others, in its fields they edit. */
import type { KeyGroup } from "../../../../base/client/grid/grid-keys.ts";
import { commandOf } from "../../../../base/client/keys/key-table.ts";
import type { Card } from "./card.ts";
import type { CardView } from "./card-view.ts";

/** `card`: the card itself has the focus; `field`: one of its fields, while that is not edited. */
type CardKeyMode = "card" | "field";

/** Returns by how many cards a command moves. */
const STEPS = {
  left: () => -1,
  right: () => 1,
  up: (view) => -view.perLine,
  down: (view) => view.perLine,
  first: () => -Infinity,
  last: () => Infinity,
  pageUp: (view) => -view.perScreen,
  pageDown: (view) => view.perScreen,
  previous: () => -1,
  next: () => 1,
} as const satisfies Record<string, (view: CardView) => number>;

type CardMove = keyof typeof STEPS;

/** What does not move to another card. */
export type CardCommand = "enter" | "leave" | "openRow" | "add" | "clear" | "remove" | "undo" | "redo" | "menu";

const CARD = ["card"] as const;
const BOTH = ["card", "field"] as const;

export const CARD_KEY_GROUP: KeyGroup<CardMove | CardCommand, CardKeyMode> = {
  title: "cards.shortcut.group",
  keys: [
    { command: "left", label: "cards.shortcut.arrows", modes: CARD, keys: ["ArrowLeft"] },
    { command: "right", label: "cards.shortcut.arrows", modes: CARD, keys: ["ArrowRight"] },
    { command: "up", label: "cards.shortcut.arrows", modes: CARD, keys: ["ArrowUp"] },
    { command: "down", label: "cards.shortcut.arrows", modes: CARD, keys: ["ArrowDown"] },
    { command: "first", label: "cards.shortcut.first", modes: CARD, keys: ["Home", "Ctrl+Home"] },
    { command: "last", label: "cards.shortcut.last", modes: CARD, keys: ["End", "Ctrl+End"] },
    { command: "pageUp", label: "base.shortcut.pageUp", modes: CARD, keys: ["PageUp"] },
    { command: "pageDown", label: "base.shortcut.pageDown", modes: CARD, keys: ["PageDown"] },
    { command: "previous", label: "cards.shortcut.step", modes: BOTH, keys: ["Alt+PageUp"] },
    { command: "next", label: "cards.shortcut.step", modes: BOTH, keys: ["Alt+PageDown"] },
    { command: "enter", label: "cards.shortcut.enter", modes: CARD, keys: ["Enter", "F2"] },
    { command: "leave", label: "cards.shortcut.leave", modes: ["field"], keys: ["Escape"] },
    { command: "openRow", label: "base.shortcut.openRow", modes: CARD, keys: ["Space", "Shift+Enter"] },
    { command: "openRow", label: "base.shortcut.openRow", modes: ["field"], keys: ["Shift+Enter"] },
    { command: "add", label: "cards.shortcut.add", modes: BOTH, keys: ["Ctrl+Enter"] },
    { command: "clear", label: "cards.shortcut.clear", modes: CARD, keys: ["Delete", "Backspace"] },
    { command: "remove", label: "cards.shortcut.remove", modes: BOTH, keys: ["Ctrl+Delete", "Ctrl+Backspace"] },
    { command: "undo", label: "base.shortcut.undo", modes: BOTH, keys: ["Ctrl+Z"] },
    { command: "redo", label: "base.shortcut.redo", modes: BOTH, keys: ["Ctrl+Y", "Ctrl+Shift+Z"] },
    { command: "menu", label: "base.shortcut.menu", modes: BOTH, keys: ["Shift+F10", "ContextMenu"] },
  ],
};

/** @param run carries out what does not move to another card */
export function attachCardKeys(view: CardView, run: (command: CardCommand, card: Card) => void): void {
  view.element.addEventListener("keydown", (event) => {
    const card = view.cardOf(event.target);
    // Editors have keys of their own.
    if (!card || event.defaultPrevented || event.isComposing || card.isEditing) return;
    const isCard = event.target === card.element;
    const command = commandOf(CARD_KEY_GROUP.keys, event, isCard ? "card" : "field");
    if (!command) return;
    event.preventDefault();
    if (isMove(command)) move(view, card, command);
    else run(command, card);
  });
}

const isMove = (command: CardMove | CardCommand): command is CardMove => Object.hasOwn(STEPS, command);

function move(view: CardView, { index }: Card, command: CardMove): void {
  const to = index + STEPS[command](view);
  const row = Math.max(0, Math.min(to, view.lastRow));
  // The line above or below may not have a card there.
  const isLine = command === "up" || command === "down";
  if (!isLine || row === to) view.activate({ row, column: 0 });
}
