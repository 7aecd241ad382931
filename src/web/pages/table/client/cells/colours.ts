import { type ColourPair, paletteEntryOf } from "../../../../base/palette.ts";
import type { Column } from "../columns/columns.ts";
import { contrast, MIN_CONTRAST, parseColour, readableTextColour } from "./readable-colours.ts";

/** Colours of choices and cells from the document. */

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
