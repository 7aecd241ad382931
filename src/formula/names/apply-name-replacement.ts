import type { NameReference } from "./name-references.ts";

/** A table that gets another name, or a column of a table. */
export type NameReplacement =
  | { readonly table: string; readonly to: string }
  | { readonly table: string; readonly column: string; readonly to: string };

/** The formula with the new name wherever the thing is named. `places` are those of the formula. */
export const applyNameReplacement = (
  formula: string,
  references: readonly NameReference[],
  renaming: NameReplacement,
): string =>
  replaceNames(formula, references, (reference) => (refersToRenamed(reference, renaming) ? renaming.to : undefined));

/** The formula with other names in those places for which `nameFor` gives one. Everything else stays as it is. */
export function replaceNames(
  formula: string,
  references: readonly NameReference[],
  nameFor: (reference: NameReference) => string | undefined,
): string {
  let text = "";
  let at = 0;
  for (const reference of references) {
    const name = nameFor(reference);
    if (name === undefined) continue;
    text += formula.slice(at, reference.from) + name;
    at = reference.to;
  }
  return text + formula.slice(at);
}

/** True for a formula in which a name might stand, by itself: worth to be read for it. */
export function mayContainName(formula: string, name: string): boolean {
  return containsWholeName(formula, name) || containsWholeName(formula.normalize("NFKC"), name);
}

function containsWholeName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isPartOfName(text[at - 1]) && !isPartOfName(text[at + name.length])) return true;
  }
  return false;
}

const isPartOfName = (character = ""): boolean => /\w/.test(character);

function refersToRenamed(reference: NameReference, renaming: NameReplacement): boolean {
  if (reference.kind === "attribute" || reference.table !== renaming.table) return false;
  return "column" in renaming
    ? reference.kind === "column" && reference.column === renaming.column
    : reference.kind === "table";
}
