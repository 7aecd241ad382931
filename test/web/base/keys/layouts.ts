import type { KeyPress } from "../../../../src/web/base/client/keys/key-table.ts";

/** What the keys of a keyboard type, by `code`: without and with Shift. */
export type Layout = Readonly<Record<string, readonly [plain: string, shifted: string]>>;

const letters = (rows: Readonly<Record<string, string>>): Layout =>
  Object.fromEntries(
    Object.entries(rows).map(([position, letter]) => [`Key${position}`, [letter, letter.toUpperCase()]]),
  );

const ALPHABET = Object.fromEntries(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("").map((letter) => [letter, letter.toLowerCase()]),
);

/** Keys that need AltGr are left out: Ctrl with AltGr is no shortcut. */
export const LAYOUTS: Readonly<Record<string, Layout>> = {
  US: {
    ...letters(ALPHABET),
    Semicolon: [";", ":"],
    Comma: [",", "<"],
    Period: [".", ">"],
    Slash: ["/", "?"],
    Backslash: ["\\", "|"],
  },
  German: {
    ...letters({ ...ALPHABET, Y: "z", Z: "y" }),
    Digit7: ["7", "/"],
    Semicolon: ["ö", "Ö"],
    Comma: [",", ";"],
    Period: [".", ":"],
    Slash: ["-", "_"],
    Backslash: ["#", "'"],
  },
  Swiss: {
    ...letters({ ...ALPHABET, Y: "z", Z: "y" }),
    Digit7: ["7", "/"],
    Semicolon: ["ö", "é"],
    Comma: [",", ";"],
    Period: [".", ":"],
    Slash: ["-", "_"],
    Backslash: ["$", "£"],
  },
  French: {
    ...letters({ ...ALPHABET, Q: "a", A: "q", W: "z", Z: "w", M: "," }),
    KeyM: [",", "?"],
    Semicolon: ["m", "M"],
    Comma: [";", "."],
    Period: [":", "/"],
    Slash: ["!", "§"],
    Backslash: ["*", "µ"],
  },
};

type Modifiers = Partial<Pick<KeyPress, "ctrlKey" | "metaKey" | "altKey" | "shiftKey">> & { isAltGraph?: boolean };

export const keyPress = (
  key: string,
  code: string,
  { isAltGraph = false, ...modifiers }: Modifiers = {},
): KeyPress => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
  getModifierState: () => isAltGraph,
});

/** Presses the key that types a character; undefined if the keyboard has none without AltGr. */
export function typeCharacter(layout: Layout, character: string, modifiers: Modifiers): KeyPress | undefined {
  for (const [code, [plain, shifted]] of Object.entries(layout)) {
    if (plain === character) return keyPress(plain, code, modifiers);
    if (shifted === character) return keyPress(shifted, code, { ...modifiers, shiftKey: true });
  }
  return undefined;
}
