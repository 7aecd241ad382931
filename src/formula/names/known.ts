/** What the text of a formula tells about a value without computing it: mostly, of which table's records it is. */
export type Known =
  /** `Orders` */
  | { readonly kind: "table"; readonly table: string }
  | { readonly kind: "record"; readonly table: string }
  | Many
  | { readonly kind: "tuple"; readonly items: readonly (Known | undefined)[] }
  /** `.find` of records. */
  | { readonly kind: "finder"; readonly table: string }
  /** A function and what it gives; its keywords are columns of the table `looksUpIn`. */
  | { readonly kind: "function"; readonly gives: Known | undefined; readonly looksUpIn?: string }
  /** A function of the language that is no secret to us: see `builtins.ts`. */
  | { readonly kind: "builtin"; readonly name: string }
  /** Something whose attributes are given. */
  | { readonly kind: "object"; readonly attributes: ReadonlyMap<string, Known> };

/** What loops go through. Direct is what stands in the loop itself, in contrast to a variable or a column that holds it. */
type Many =
  /** Several records of a table. */
  | { readonly kind: "records"; readonly table: string; readonly isDirect: boolean }
  /** A list, or the like. */
  | { readonly kind: "list"; readonly element: Known; readonly isDirect: boolean };

/** What is known of a value that is the one or the other: where both are known, the first is taken. */
export const either = (one: Known | undefined, other: Known | undefined): Known | undefined => one ?? other;

/** What is known of one of several things. */
export function elementOf(known: Known | undefined): Known | undefined {
  if (known?.kind === "records") return { kind: "record", table: known.table };
  return known?.kind === "list" ? known.element : undefined;
}

/**
 * What a loop's variable stands for. Only loops over what is asked of a table in the loop itself are followed, as in
 * `for o in Orders.all`: this is how formulas are renamed in the program that wrote most of the documents there are.
 */
export function looped(known: Known | undefined): Known | undefined {
  return isMany(known) && known.isDirect ? elementOf(known) : undefined;
}

/** A list of such elements, gone through where `source` can be. */
export function listOf(element: Known | undefined, source: Known | undefined): Known | undefined {
  return element && { kind: "list", element, isDirect: isMany(source) && source.isDirect };
}

/** What is known of it when it comes out of a variable or a cell. */
export function kept(known: Known | undefined): Known | undefined {
  return isMany(known) ? { ...known, isDirect: false } : known;
}

const isMany = (known: Known | undefined): known is Many => known?.kind === "records" || known?.kind === "list";
