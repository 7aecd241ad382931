/** Tables that map keys to commands: they dispatch keys, and list the shortcuts. */
import type { LabelKey } from "../../../texts/texts.ts";

/** The part of a `KeyboardEvent` that tables are matched with. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  getModifierState(modifier: "AltGraph"): boolean;
}

export interface KeyBinding<Command extends string, Mode extends string> {
  /**
   * `Ctrl+Shift+Z`, `Alt+PageUp`, `Space`, `F1`, `Ctrl+;`. Ctrl is ⌘ on macOS. Punctuation is the character that is
   * typed, with or without Shift: such a binding has a second key for keyboards that cannot type it with Ctrl.
   */
  readonly keys: readonly string[];
  readonly command: Command;
  readonly modes: readonly Mode[];
  /** What it does, in the list of shortcuts; bindings with equal labels share a line. */
  readonly label: LabelKey;
}

export type KeyTable<Command extends string, Mode extends string> = readonly KeyBinding<Command, Mode>[];

/** Returns the command of a key in a mode; undefined for other keys. */
export function commandOf<Command extends string, Mode extends string>(
  table: KeyTable<Command, Mode>,
  press: KeyPress,
  mode: Mode,
): Command | undefined {
  return table.find(({ keys, modes }) => modes.includes(mode) && keys.some((key) => matchesKey(key, press)))?.command;
}

export function matchesKey(name: string, press: KeyPress): boolean {
  const { base, ctrl, alt, shift } = parseKey(name);
  if (ctrl !== (press.ctrlKey || press.metaKey) || alt !== press.altKey) return false;
  if (isPunctuation(base)) return press.key === base && (press.shiftKey || !shift);
  if (shift !== press.shiftKey) return false;
  if (/^[A-Z]$/.test(base)) return latinLetter(press) === base;
  return press.key === (base === "Space" ? " " : base);
}

/** Returns the character that a key types into a cell; undefined for other keys and for shortcuts. */
export function typedCharacter(press: KeyPress): string | undefined {
  const { key, ctrlKey, metaKey, altKey } = press;
  if (!/^.$/su.test(key)) return undefined;
  // Windows reports AltGr, which types characters, as Ctrl and Alt, too.
  if (press.getModifierState("AltGraph")) return key;
  if (ctrlKey || metaKey) return undefined;
  // On macOS, Option types characters; elsewhere, Alt with a letter is a shortcut of the browser.
  return altKey && /^[a-z0-9 ]$/i.test(key) ? undefined : key;
}

export interface ParsedKey {
  readonly base: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

export function parseKey(name: string): ParsedKey {
  // The last key can be "+" itself.
  const parts = name.slice(0, -1).split("+");
  const base = `${parts.pop() ?? ""}${name.slice(-1)}`;
  return { base, ctrl: parts.includes("Ctrl"), alt: parts.includes("Alt"), shift: parts.includes("Shift") };
}

const isPunctuation = (base: string): boolean => base.length === 1 && !/^[A-Z0-9]$/.test(base);

/** The letter that a key types; on keyboards without Latin letters, the one of its position. */
function latinLetter({ key, code }: KeyPress): string | undefined {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  const isLatin = key.length === 1 && key.codePointAt(0) !== undefined && (key.codePointAt(0) ?? 0) < 0x250;
  return isLatin ? undefined : /^Key([A-Z])$/.exec(code)?.[1];
}
