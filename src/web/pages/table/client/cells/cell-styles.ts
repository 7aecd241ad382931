/** Styles of cells and headers as documents contain them, and how they are drawn. */
import { drawnColours, parseColour } from "./readable-colours.ts";

/** Keys that are not set leave what an earlier style says. */
export interface CellStyle {
  readonly textColor?: string;
  readonly fillColor?: string;
  readonly fontBold?: boolean;
  readonly fontItalic?: boolean;
  readonly fontUnderline?: boolean;
  readonly fontStrikethrough?: boolean;
}

export const FONT_KEYS = ["fontBold", "fontItalic", "fontUnderline", "fontStrikethrough"] as const;
export const COLOUR_KEYS = ["textColor", "fillColor"] as const;

/** Under which keys options contain a style: `headerFontBold` for the header. */
export type StylePrefix = "" | "header";

export const styleKey = (prefix: StylePrefix, key: string): string =>
  prefix === "" ? key : `${prefix}${key.charAt(0).toUpperCase()}${key.slice(1)}`;

/** Reads the valid parts of a style of a document, which can contain any value. */
export function parseStyle(value: unknown, prefix: StylePrefix = ""): CellStyle {
  if (typeof value !== "object" || value === null) return {};
  const options = value as Readonly<Record<string, unknown>>;
  const style: Record<string, unknown> = {};
  for (const key of COLOUR_KEYS) {
    const colour = parseColour(options[styleKey(prefix, key)]);
    if (colour !== undefined) style[key] = colour;
  }
  for (const key of FONT_KEYS) {
    const isOn = options[styleKey(prefix, key)];
    if (typeof isOn === "boolean") style[key] = isOn;
  }
  return style;
}

/** Returns the declarations that draw a style; empty without any. */
export function declarationsOf(style: CellStyle): string {
  const { fill, text } = drawnColours({ fill: style.fillColor, text: style.textColor });
  const lines = [style.fontUnderline && "underline", style.fontStrikethrough && "line-through"].filter(Boolean);
  return [
    fill && `--fill: ${fill}; background: ${fill};`,
    text && `color: ${text};`,
    style.fontBold && "font-weight: 600;",
    style.fontItalic && "font-style: italic;",
    lines.length > 0 && `text-decoration-line: ${lines.join(" ")};`,
  ]
    .filter(Boolean)
    .join(" ");
}
