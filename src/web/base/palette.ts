/** Pairs of colours for choices and styles; their contrast is at least 7.8:1, computed by the formula of WCAG 2. */
import type { LabelKey } from "../texts/texts.ts";

export interface ColourPair {
  readonly fill: string;
  readonly text: string;
}

export interface PaletteEntry {
  readonly name: LabelKey;
  /** The pair that documents contain. */
  readonly light: ColourPair;
  /** How it is drawn on dark pages. */
  readonly dark: ColourPair;
}

const entry = (name: LabelKey, [fill, text, darkFill, darkText]: readonly [string, string, string, string]) => ({
  name,
  light: { fill, text },
  dark: { fill: darkFill, text: darkText },
});

export const PALETTE: readonly PaletteEntry[] = [
  entry("palette.blue", ["#cee3ff", "#0c3f78", "#20487a", "#e7f1ff"]),
  entry("palette.green", ["#c2efc9", "#004e20", "#17552a", "#dcf9e1"]),
  entry("palette.amber", ["#ffdba5", "#563a00", "#604101", "#ffeed4"]),
  entry("palette.violet", ["#e3dcfe", "#453073", "#4c3b75", "#f1edff"]),
  entry("palette.teal", ["#b7eee6", "#034a44", "#00544d", "#d5f9f3"]),
  entry("palette.pink", ["#fed4e3", "#692143", "#6e2f4a", "#feeaf1"]),
  entry("palette.orange", ["#ffd8c2", "#662e00", "#6e360b", "#ffece1"]),
  entry("palette.cyan", ["#b8ebfc", "#004858", "#005063", "#daf6ff"]),
  entry("palette.lime", ["#d4ecad", "#344800", "#3c5009", "#e7f7cf"]),
  entry("palette.indigo", ["#d8e0ff", "#303779", "#39427a", "#ecefff"]),
  entry("palette.brown", ["#f3ddcb", "#553820", "#5a422f", "#fcede1"]),
  entry("palette.magenta", ["#fad2fb", "#5b275f", "#613464", "#fee8ff"]),
  entry("palette.yellow", ["#f1e391", "#494001", "#524800", "#faf2be"]),
  entry("palette.red", ["#fed6d2", "#6f2120", "#72302d", "#feebe9"]),
  entry("palette.slate", ["#d9e2ed", "#34414f", "#3c4957", "#e6f2fe"]),
  entry("palette.grey", ["#e5e0db", "#443f39", "#4a4743", "#f4efe9"]),
];

/** Returns the entry of a stored pair; undefined for other colours. */
export const paletteEntryOf = ({ fill, text }: Partial<ColourPair>): PaletteEntry | undefined =>
  PALETTE.find(({ light }) => light.fill === fill?.toLowerCase() && light.text === text?.toLowerCase());

/** Returns the pair for a new choice: the first one that no other has, else the next in turn. */
export function nextPair(used: readonly Partial<ColourPair>[]): ColourPair {
  const taken = new Set(used.map(({ fill }) => fill?.toLowerCase()));
  const free = PALETTE.find(({ light }) => !taken.has(light.fill)) ?? PALETTE[used.length % PALETTE.length];
  return free?.light ?? { fill: "#e5e0db", text: "#443f39" };
}
