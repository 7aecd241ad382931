import type { NamedPlace } from "./places.ts";

/** A table that gets another name, or a column of a table. */
export type Renaming =
  | { readonly table: string; readonly to: string }
  | { readonly table: string; readonly column: string; readonly to: string };

/** The formula with the new name wherever the thing is named. `places` are those of the formula. */
export const renameIn = (formula: string, places: readonly NamedPlace[], renaming: Renaming): string =>
  replaceNames(formula, places, (place) => (isNamed(place, renaming) ? renaming.to : undefined));

/** The formula with other names in those places for which `nameFor` gives one. Everything else stays as it is. */
export function replaceNames(
  formula: string,
  places: readonly NamedPlace[],
  nameFor: (place: NamedPlace) => string | undefined,
): string {
  let text = "";
  let at = 0;
  for (const place of places) {
    const name = nameFor(place);
    if (name === undefined) continue;
    text += formula.slice(at, place.from) + name;
    at = place.to;
  }
  return text + formula.slice(at);
}

/** True for a formula in which a name might stand, by itself: worth to be read for it. */
export function mayName(formula: string, name: string): boolean {
  return stands(formula, name) || stands(formula.normalize("NFKC"), name);
}

function stands(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isPartOfName(text[at - 1]) && !isPartOfName(text[at + name.length])) return true;
  }
  return false;
}

const isPartOfName = (character = ""): boolean => /\w/.test(character);

function isNamed(place: NamedPlace, renaming: Renaming): boolean {
  if (place.kind === "attribute" || place.table !== renaming.table) return false;
  return "column" in renaming ? place.kind === "column" && place.column === renaming.column : place.kind === "table";
}
