import { describe, expect, test } from "bun:test";
import { GRID_KEYS } from "../../../../src/web/base/client/grid/grid-keys.ts";
import {
  commandOf,
  type KeyPress,
  type KeyTable,
  matchesKey,
  parseKey,
  typedCharacter,
} from "../../../../src/web/base/client/keys/key-table.ts";
import { EDITOR_KEY_GROUP } from "../../../../src/web/pages/table/client/commands/editor-keys.ts";
import { PAGE_KEY_GROUP } from "../../../../src/web/pages/table/client/commands/page-keys.ts";
import { keyPress, type Layout, LAYOUTS, typeCharacter } from "./layouts.ts";

const TABLES: Readonly<Record<string, KeyTable<string, string>>> = {
  grid: GRID_KEYS,
  editor: EDITOR_KEY_GROUP.keys,
  page: PAGE_KEY_GROUP.keys,
};

/** Presses a key by its name; undefined where the keyboard cannot type its character. */
function pressNamed(layout: Layout, name: string): KeyPress | undefined {
  const { base, ctrl, alt, shift } = parseKey(name);
  const modifiers = { ctrlKey: ctrl, altKey: alt };
  if (base.length > 1) return keyPress(base === "Space" ? " " : base, base, { ...modifiers, shiftKey: shift });
  const typed = typeCharacter(layout, /[A-Z]/.test(base) ? base.toLowerCase() : base, modifiers);
  return typed && { ...typed, key: shift ? typed.key.toUpperCase() : typed.key, shiftKey: shift || typed.shiftKey };
}

describe.each(Object.entries(LAYOUTS))("on a %s keyboard", (_, layout) => {
  test.each(Object.entries(TABLES))("each command of the %s has a key, which runs only it", (_name, table) => {
    for (const { keys, modes, command } of table) {
      const presses = keys.map((key) => pressNamed(layout, key)).filter((press) => press !== undefined);
      expect([command, presses.length > 0]).toEqual([command, true]);
      for (const mode of modes) {
        for (const press of presses)
          expect([press.key, mode, commandOf(table, press, mode)]).toEqual([press.key, mode, command]);
      }
    }
  });
});

test("punctuation has a second key where a keyboard cannot type it", () => {
  const missing = Object.entries(LAYOUTS).flatMap(([name, layout]) =>
    ["Ctrl+;", "Ctrl+:", "Ctrl+/", "Ctrl+\\"].filter((key) => !pressNamed(layout, key)).map((key) => `${name} ${key}`),
  );
  expect(missing).toEqual(["German Ctrl+\\", "Swiss Ctrl+\\", "French Ctrl+\\"]);
});

describe("a key", () => {
  test.each([
    ["the character counts, not the position", "Ctrl+Z", keyPress("z", "KeyY", { ctrlKey: true }), true],
    ["the position alone is not enough", "Ctrl+Z", keyPress("y", "KeyZ", { ctrlKey: true }), false],
    ["with caps lock", "Ctrl+Z", keyPress("Z", "KeyZ", { ctrlKey: true }), true],
    [
      "Shift is part of a shortcut with a letter",
      "Ctrl+Z",
      keyPress("Z", "KeyZ", { ctrlKey: true, shiftKey: true }),
      false,
    ],
    ["with Shift", "Ctrl+Shift+Z", keyPress("Z", "KeyZ", { ctrlKey: true, shiftKey: true }), true],
    ["⌘ on macOS", "Ctrl+Z", keyPress("z", "KeyZ", { metaKey: true }), true],
    ["Cyrillic keyboards: the position", "Ctrl+Z", keyPress("я", "KeyZ", { ctrlKey: true }), true],
    ["Option types another character", "Ctrl+Alt+D", keyPress("∂", "KeyD", { ctrlKey: true, altKey: true }), true],
    ["punctuation that needs Shift", "Ctrl+;", keyPress(";", "Comma", { ctrlKey: true, shiftKey: true }), true],
    ["Alt is never ignored", "Ctrl+;", keyPress(";", "Semicolon", { ctrlKey: true, altKey: true }), false],
    ["the position of punctuation never counts", "Ctrl+;", keyPress("ö", "Semicolon", { ctrlKey: true }), false],
    ["other modifiers", "ArrowDown", keyPress("ArrowDown", "ArrowDown", { altKey: true }), false],
    ["by its name", "Space", keyPress(" ", "Space"), true],
  ] as const)("matches: %s", (_, name, press, expected) => {
    expect(matchesKey(name, press)).toBe(expected);
  });
});

describe("a key types", () => {
  test.each([
    ["a letter", keyPress("a", "KeyA"), "a"],
    ["a letter with Shift", keyPress("A", "KeyA", { shiftKey: true }), "A"],
    ["a letter of its keyboard", keyPress("é", "Digit2"), "é"],
    ["nothing with Ctrl", keyPress("a", "KeyA", { ctrlKey: true }), undefined],
    ["nothing with Alt and a letter", keyPress("d", "KeyD", { altKey: true }), undefined],
    ["a character with Option", keyPress("@", "KeyL", { altKey: true }), "@"],
    ["a character with AltGr", keyPress("€", "KeyE", { ctrlKey: true, altKey: true, isAltGraph: true }), "€"],
    ["an emoji", keyPress("😀", ""), "😀"],
    ["nothing by its name", keyPress("Enter", "Enter"), undefined],
    ["nothing before an accented letter", keyPress("Dead", "Equal"), undefined],
  ] as const)("%s", (_, press, expected) => {
    expect(typedCharacter(press)).toBe(expected);
  });
});
