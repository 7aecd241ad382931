/** What the text of a formula tells about a value without computing it: mostly, of which table's records it is. */
export type InferredType =
  /** `Orders` */
  | { readonly kind: "table"; readonly table: string }
  | { readonly kind: "record"; readonly table: string }
  | CollectionType
  | { readonly kind: "tuple"; readonly items: readonly (InferredType | undefined)[] }
  /** `.find` of records. */
  | { readonly kind: "finder"; readonly table: string }
  /** A function and what it gives; its keywords are columns of the table `looksUpIn`. */
  | { readonly kind: "function"; readonly gives: InferredType | undefined; readonly looksUpIn?: string }
  /** A function of the language that is no secret to us: see `builtins.ts`. */
  | { readonly kind: "builtin"; readonly name: string }
  /** Something whose attributes are given. */
  | { readonly kind: "object"; readonly attributes: ReadonlyMap<string, InferredType> };

/** What loops go through. Direct is what stands in the loop itself, in contrast to a variable or a column that holds it. */
type CollectionType =
  /** Several records of a table. */
  | { readonly kind: "records"; readonly table: string; readonly isDirect: boolean }
  /** A list, or the like. */
  | { readonly kind: "list"; readonly element: InferredType; readonly isDirect: boolean };

/** What is known of a value that is the one or the other: where both are known, the first is taken. */
export const firstKnown = (one: InferredType | undefined, other: InferredType | undefined): InferredType | undefined =>
  one ?? other;

/** What is known of one of several things. */
export function elementType(type: InferredType | undefined): InferredType | undefined {
  if (type?.kind === "records") return { kind: "record", table: type.table };
  return type?.kind === "list" ? type.element : undefined;
}

/**
 * What a loop's variable stands for. Only loops over what is asked of a table in the loop itself are followed, as in
 * `for o in Orders.all`: this is how formulas are renamed in the program that wrote most of the documents there are.
 */
export function loopVariableType(type: InferredType | undefined): InferredType | undefined {
  return isCollection(type) && type.isDirect ? elementType(type) : undefined;
}

/** A list of such elements, gone through where `source` can be. */
export function listType(
  element: InferredType | undefined,
  source: InferredType | undefined,
): InferredType | undefined {
  return element && { kind: "list", element, isDirect: isCollection(source) && source.isDirect };
}

/** What is known of it when it comes out of a variable or a cell. */
export function asIndirect(type: InferredType | undefined): InferredType | undefined {
  return isCollection(type) ? { ...type, isDirect: false } : type;
}

const isCollection = (type: InferredType | undefined): type is CollectionType =>
  type?.kind === "records" || type?.kind === "list";
