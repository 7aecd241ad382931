/** The static type of a value as far as it is inferred from a formula's text, mainly the table of its records. */
export type InferredType =
  /** `Orders` */
  | { readonly kind: "table"; readonly table: string }
  | { readonly kind: "record"; readonly table: string }
  | CollectionType
  | { readonly kind: "tuple"; readonly items: readonly (InferredType | undefined)[] }
  /** `.find` of records. */
  | { readonly kind: "finder"; readonly table: string }
  /** A function and its result type; its keywords are columns of the table `looksUpIn`. */
  | { readonly kind: "function"; readonly gives: InferredType | undefined; readonly looksUpIn?: string }
  /** A built-in function with a known result type: see `builtin-result-types.ts`. */
  | { readonly kind: "builtin"; readonly name: string }
  /** An object with known attributes. */
  | { readonly kind: "object"; readonly attributes: ReadonlyMap<string, InferredType> };

/**
 * Types that loops iterate over. `isDirect` marks a collection expression in the loop itself, as opposed to a variable
 * or column that holds it.
 */
type CollectionType =
  /** Several records of a table. */
  | { readonly kind: "records"; readonly table: string; readonly isDirect: boolean }
  /** A list or another collection. */
  | { readonly kind: "list"; readonly element: InferredType; readonly isDirect: boolean };

/** Returns the type of a value that has one of two origins: the first one if both are known. */
export const firstKnown = (one: InferredType | undefined, other: InferredType | undefined): InferredType | undefined =>
  one ?? other;

/** Returns the element type of a collection. */
export function elementType(type: InferredType | undefined): InferredType | undefined {
  if (type?.kind === "records") return { kind: "record", table: type.table };
  return type?.kind === "list" ? type.element : undefined;
}

/**
 * Returns the type of a loop variable. Only loops directly over a table query are followed, as in `for o in
 * Orders.all`: the application that wrote most existing documents has the same limitation when it renames columns.
 */
export function loopVariableType(type: InferredType | undefined): InferredType | undefined {
  return isCollection(type) && type.isDirect ? elementType(type) : undefined;
}

/** Returns the type of a list with these elements, which is iterable if `source` is. */
export function listType(
  element: InferredType | undefined,
  source: InferredType | undefined,
): InferredType | undefined {
  return element && { kind: "list", element, isDirect: isCollection(source) && source.isDirect };
}

/** Returns the type of a value read from a variable or a cell. */
export function asIndirect(type: InferredType | undefined): InferredType | undefined {
  return isCollection(type) ? { ...type, isDirect: false } : type;
}

const isCollection = (type: InferredType | undefined): type is CollectionType =>
  type?.kind === "records" || type?.kind === "list";
