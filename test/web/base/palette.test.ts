import { describe, expect, test } from "bun:test";
import { nextPair, PALETTE, paletteEntryOf } from "../../../src/web/base/palette.ts";
import { contrastOf } from "../contrast.ts";

const rgb = (colour: string): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).join(", ")})`;

const rounded = (ratio: number): number => Math.round(ratio * 10) / 10;

describe("the palette", () => {
  test.each(PALETTE)("$name is readable on light and dark pages", ({ light, dark }) => {
    expect(rounded(contrastOf(rgb(light.fill), rgb(light.text)))).toBeGreaterThanOrEqual(7.8);
    expect(rounded(contrastOf(rgb(dark.fill), rgb(dark.text)))).toBeGreaterThanOrEqual(7.9);
    // A text colour can also be used without its fill.
    expect(rounded(contrastOf("rgb(255, 255, 255)", rgb(light.text)))).toBeGreaterThanOrEqual(9.9);
  });

  test("has 16 different pairs", () => {
    expect(new Set(PALETTE.map(({ light }) => light.fill)).size).toBe(16);
    expect(new Set(PALETTE.map(({ dark }) => dark.fill)).size).toBe(16);
  });

  test("finds stored pairs in any case, and no others", () => {
    for (const entry of PALETTE) {
      const { fill, text } = entry.light;
      expect(paletteEntryOf({ fill: fill.toUpperCase(), text: text.toUpperCase() })).toBe(entry);
      expect(paletteEntryOf({ fill })).toBeUndefined();
      expect(paletteEntryOf({ fill, text: "#000000" })).toBeUndefined();
    }
  });

  test("gives each new choice the first pair that no other one has, then all in turn", () => {
    const all = PALETTE.map(({ light }) => light);
    const [blue, green, amber] = all;
    expect(nextPair([])).toMatchObject({ ...blue });
    expect(nextPair([{ ...blue }, {}, { ...amber }])).toMatchObject({ ...green });
    expect(nextPair(all)).toMatchObject({ ...blue });
    expect(nextPair([...all, { ...blue }])).toMatchObject({ ...green });
  });
});
