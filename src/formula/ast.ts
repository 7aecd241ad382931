/**
 * The tree of a formula: what is left of Python's grammar when names and precedence are settled. Positions are offsets
 * in the formula's prepared text (see `source.ts`).
 */

export interface Span {
  readonly from: number;
  readonly to: number;
}

export type UnaryOperator = "+" | "-" | "~" | "not";
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "<<" | ">>" | "&" | "|" | "^" | "@";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "is" | "is not";

export type Constant = null | boolean | bigint | number | string;

/** `{value!r:>10}` in an f-string. The spec may hold replacements itself. */
export interface Replacement {
  readonly value: Expression;
  readonly conversion: "r" | "s" | "a" | undefined;
  readonly spec: readonly FormatPart[];
}

export type FormatPart = string | Replacement;

export interface KeywordArgument {
  readonly name: string;
  readonly value: Expression;
}

export interface Comparison {
  readonly operator: CompareOperator;
  readonly operand: Expression;
}

export interface Call extends Span {
  readonly kind: "call";
  readonly callee: Expression;
  readonly positional: readonly Expression[];
  readonly keywords: readonly KeywordArgument[];
}

export type Expression = Span &
  (
    | { readonly kind: "constant"; readonly value: Constant }
    | { readonly kind: "format"; readonly parts: readonly FormatPart[] }
    | { readonly kind: "name"; readonly name: string }
    /** `$Col` too, as attribute of the name `rec`. */
    | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
    | { readonly kind: "index"; readonly object: Expression; readonly index: Expression }
    | {
        readonly kind: "slice";
        readonly object: Expression;
        readonly bounds: readonly [Expression | null, Expression | null, Expression | null];
      }
    | Call
    | { readonly kind: "unary"; readonly operator: UnaryOperator; readonly operand: Expression }
    | {
        readonly kind: "binary";
        readonly operator: BinaryOperator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | { readonly kind: "compare"; readonly first: Expression; readonly rest: readonly Comparison[] }
    | {
        readonly kind: "logic";
        readonly operator: "and" | "or";
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: "conditional";
        readonly test: Expression;
        readonly body: Expression;
        readonly orElse: Expression;
      }
    | { readonly kind: "list" | "tuple"; readonly items: readonly Expression[] }
    /** Valid Python that is not evaluated here; `what` names it to people. */
    | { readonly kind: "unsupported"; readonly what: string }
  );
