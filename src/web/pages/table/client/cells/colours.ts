import { type ColourPair, paletteEntryOf } from "../../../../base/palette.ts";
import type { Column } from "../columns/columns.ts";

/** Colours of choices and cells from the document. */

const COLOUR = /^#[0-9a-f]{6}$/i;

/** Validates a colour of a document; undefined when invalid. */
export const parseColour = (value: unknown): string | undefined =>
  typeof value === "string" && COLOUR.test(value) ? value : undefined;

/** Returns the colours of a choice; null without readable ones. */
export function choiceColours({ options }: Column, choice: string): ColourPair | null {
  const all: unknown = options["choiceOptions"];
  if (typeof all !== "object" || all === null || !Object.hasOwn(all, choice)) return null;
  const choiceOption: unknown = (all as Record<string, unknown>)[choice];
  if (typeof choiceOption !== "object" || choiceOption === null) return null;
  const { fillColor, textColor } = choiceOption as Record<string, unknown>;
  const fill = parseColour(fillColor);
  if (fill === undefined) return null;
  const text = parseColour(textColor);
  return { fill, text: text !== undefined && contrast(text, fill) >= MIN_CONTRAST ? text : readableTextColour(fill) };
}

/** Draws colours; pairs of the palette follow the scheme of the page. */
export function drawColours({ style }: HTMLElement, colours: Partial<ColourPair> | null): void {
  const pair = colours === null ? undefined : paletteEntryOf(colours);
  style.backgroundColor = pair ? `light-dark(${pair.light.fill}, ${pair.dark.fill})` : (colours?.fill ?? "");
  style.color = pair ? `light-dark(${pair.light.text}, ${pair.dark.text})` : (colours?.text ?? "");
}

/** Minimum contrast ratio (WCAG AA). */
const MIN_CONTRAST = 4.5;

export const readableTextColour = (fill: string): string =>
  contrast("#000000", fill) >= contrast("#ffffff", fill) ? "#000000" : "#ffffff";

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
