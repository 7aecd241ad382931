import type { NameReference } from "./name-references.ts";

/** A renamed table or a renamed column of a table. */
export type NameReplacement =
  | { readonly table: string; readonly to: string }
  | { readonly table: string; readonly column: string; readonly to: string };

/** Returns the formula with the new name in all references. `references` are those of the formula. */
export const applyNameReplacement = (
  formula: string,
  references: readonly NameReference[],
  renaming: NameReplacement,
): string =>
  replaceNames(formula, references, (reference) => (refersToRenamed(reference, renaming) ? renaming.to : undefined));

/**
 * Returns the formula with the names that `nameFor` returns; references without one, and all other text, stay
 * unchanged.
 */
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

/** Returns true if the name may occur as a whole word: a cheap test before parsing the formula. */
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
