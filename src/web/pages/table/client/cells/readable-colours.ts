import { type ColourPair, paletteEntryOf } from "../../../../base/palette.ts";

/** Colours of documents, and how text in them stays readable. */

const COLOUR = /^#[0-9a-f]{6}$/i;

/** Validates a colour of a document; undefined when invalid. */
export const parseColour = (value: unknown): string | undefined =>
  typeof value === "string" && COLOUR.test(value) ? value : undefined;

/** The surface of rows and their text in both schemes, as in the tokens. */
const SCHEMES = [
  { surface: "#ffffff", ink: "#2b2723" },
  { surface: "#242120", ink: "#ece6de" },
] as const;

/**
 * Returns how colours of a cell are drawn, as values of CSS: pairs of the palette follow the scheme of the page, and text
 * is always readable.
 */
export function drawnColours(stored: Partial<Record<keyof ColourPair, string | undefined>>): Partial<ColourPair> {
  const { fill, text } = stored;
  if (fill === undefined) return text === undefined ? {} : { text: readableInBothSchemes(text) };
  const pair = text === undefined ? undefined : paletteEntryOf({ fill, text });
  if (pair) {
    const both = (part: keyof ColourPair) => `light-dark(${pair.light[part]}, ${pair.dark[part]})`;
    return { fill: both("fill"), text: both("text") };
  }
  return { fill, text: text !== undefined && contrast(text, fill) >= MIN_CONTRAST ? text : readableTextColour(fill) };
}

function readableInBothSchemes(colour: string): string {
  const [light = colour, dark = colour] = SCHEMES.map(({ surface, ink }) => {
    const mixed = Array.from({ length: 11 }, (_, tenths) => mix(colour, ink, tenths / 10));
    return mixed.find((each) => contrast(each, surface) >= MIN_CONTRAST) ?? ink;
  });
  return light === dark ? light : `light-dark(${light}, ${dark})`;
}

/** @param share of the second colour */
function mix(one: string, other: string, share: number): string {
  const [mine, its] = [partsOf(one), partsOf(other)];
  return `#${mine.map((part, at) => hexByte(part * (1 - share) + (its[at] ?? 0) * share)).join("")}`;
}

const partsOf = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

const hexByte = (value: number): string => Math.round(value).toString(16).padStart(2, "0");

/** Minimum contrast ratio (WCAG AA). */
export const MIN_CONTRAST = 4.5;

export const readableTextColour = (fill: string): string =>
  contrast("#000000", fill) >= contrast("#ffffff", fill) ? "#000000" : "#ffffff";

export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((byte) => {
    const part = byte / 255;
    return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
