/**
 * The syntax tree of a formula: Python's grammar after names and precedence are resolved. Positions are offsets in the
 * formula's prepared text (see `source.ts`).
 */

export interface Span {
  readonly from: number;
  readonly to: number;
}

export type UnaryOperator = "+" | "-" | "~" | "not";
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "<<" | ">>" | "&" | "|" | "^" | "@";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "is" | "is not";

export type Constant = null | boolean | bigint | number | string;

/** `{value!r:>10}` in an f-string. The spec may contain replacement fields itself. */
export interface ReplacementField {
  readonly value: Expression;
  readonly conversion: "r" | "s" | "a" | undefined;
  readonly spec: readonly FormatPart[];
}

export type FormatPart = string | ReplacementField;

export interface KeywordArgument {
  /** Null for `**value`. */
  readonly name: string | null;
  /** The span of the name. */
  readonly span?: Span;
  readonly value: Expression;
}

export interface Comparison {
  readonly operator: CompareOperator;
  readonly operand: Expression;
}

export interface Call extends Span {
  readonly kind: "call";
  readonly callee: Expression;
  /** May contain `starred`. */
  readonly positional: readonly Expression[];
  readonly keywords: readonly KeywordArgument[];
}

export type Bounds = readonly [Expression | null, Expression | null, Expression | null];

export interface DictEntry {
  /** Null for `**value`. */
  readonly key: Expression | null;
  readonly value: Expression;
}

/** `for target in iterable if condition` of a comprehension. */
export interface Clause {
  readonly target: Target;
  readonly iterable: Expression;
  readonly conditions: readonly Expression[];
}

export interface Comprehension extends Span {
  readonly kind: "comprehension";
  readonly form: "list" | "set" | "dict" | "generator";
  readonly element: Expression;
  /** The value of a dict comprehension; `element` is the key then. */
  readonly value: Expression | null;
  readonly clauses: readonly [Clause, ...Clause[]];
  /** The names that it binds in its own scope. */
  readonly locals: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly defaultValue: Expression | null;
}

export interface Parameters {
  readonly names: readonly Parameter[];
  /** The number of positional-only parameters. */
  readonly positionalOnly: number;
  /** `*rest` */
  readonly rest: string | null;
  readonly keywordOnly: readonly Parameter[];
  /** `**keywords` */
  readonly keywords: string | null;
}

/** The body of a function. */
export interface FunctionBody {
  readonly parameters: Parameters;
  readonly body: readonly Statement[];
  /** All local names, parameters first. */
  readonly locals: readonly string[];
  /** True for generators. */
  readonly isGenerator: boolean;
}

/** An assignment target. */
export type Target = Span &
  (
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
    | { readonly kind: "index"; readonly object: Expression; readonly index: Expression }
    | { readonly kind: "sequence"; readonly items: readonly Target[]; readonly star: number | null }
  );

export interface Handler {
  /** Null for a bare `except:`. */
  readonly types: Expression | null;
  readonly name: string | null;
  readonly body: readonly Statement[];
}

/** A name that an import binds. */
export interface ImportedName {
  /** The member imported from the module; null for the module itself. */
  readonly member: string | null;
  readonly name: string;
}

export interface Branch {
  readonly test: Expression;
  readonly body: readonly Statement[];
}

export interface MatchCase {
  readonly pattern: Pattern;
  readonly guard: Expression | null;
  readonly body: readonly Statement[];
}

export type Pattern =
  /** Null for `_`. */
  | { readonly kind: "capture"; readonly name: string | null }
  | { readonly kind: "value"; readonly value: Expression; readonly byIdentity: boolean }
  | { readonly kind: "sequence"; readonly items: readonly Pattern[]; readonly star: number | null }
  | {
      readonly kind: "mapping";
      readonly entries: readonly { readonly key: Expression; readonly pattern: Pattern }[];
      readonly rest: string | null;
    }
  | {
      readonly kind: "class";
      readonly cls: Expression;
      readonly positional: readonly Pattern[];
      readonly keywords: readonly { readonly name: string; readonly pattern: Pattern }[];
    }
  | { readonly kind: "or"; readonly options: readonly Pattern[] }
  | { readonly kind: "as"; readonly pattern: Pattern; readonly name: string };

export type Statement = Span &
  (
    | { readonly kind: "expression" | "return"; readonly value: Expression }
    | { readonly kind: "assign"; readonly targets: readonly Target[]; readonly value: Expression }
    | {
        readonly kind: "augment";
        readonly target: Target;
        readonly operator: BinaryOperator;
        readonly value: Expression;
      }
    | { readonly kind: "delete"; readonly targets: readonly Target[] }
    | { readonly kind: "if"; readonly branches: readonly Branch[]; readonly orElse: readonly Statement[] }
    | {
        readonly kind: "for";
        readonly target: Target;
        readonly iterable: Expression;
        readonly body: readonly Statement[];
        readonly orElse: readonly Statement[];
      }
    | ({ readonly kind: "while"; readonly orElse: readonly Statement[] } & Branch)
    | { readonly kind: "break" | "continue" | "pass" }
    | {
        readonly kind: "function";
        readonly name: string;
        readonly fn: FunctionBody;
        readonly decorators: readonly Expression[];
        /** Annotations of parameters and result. Never evaluated. */
        readonly annotations: readonly Expression[];
        readonly doc: string | null;
      }
    | {
        readonly kind: "class";
        readonly name: string;
        readonly bases: readonly Expression[];
        readonly body: readonly Statement[];
        readonly locals: readonly string[];
        readonly decorators: readonly Expression[];
      }
    | {
        readonly kind: "try";
        readonly body: readonly Statement[];
        readonly handlers: readonly Handler[];
        readonly orElse: readonly Statement[];
        readonly final: readonly Statement[];
      }
    | { readonly kind: "raise"; readonly value: Expression | null; readonly cause: Expression | null }
    | { readonly kind: "assert"; readonly test: Expression; readonly message: Expression | null }
    | {
        readonly kind: "with";
        readonly context: Expression;
        readonly target: Target | null;
        readonly body: readonly Statement[];
      }
    | { readonly kind: "import"; readonly module: string; readonly names: readonly ImportedName[] }
    | { readonly kind: "match"; readonly subject: Expression; readonly cases: readonly MatchCase[] }
    | { readonly kind: "unsupported"; readonly what: string }
  );

export type Expression = Span &
  (
    | { readonly kind: "constant"; readonly value: Constant }
    | { readonly kind: "format"; readonly parts: readonly FormatPart[] }
    | { readonly kind: "name"; readonly name: string }
    /** Also `$Col`, as an attribute of the name `rec`. */
    | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
    | { readonly kind: "index"; readonly object: Expression; readonly index: Expression }
    | {
        readonly kind: "slice";
        readonly object: Expression;
        readonly bounds: Bounds;
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
        /**
         * True for a parenthesized comparison or operation: `(a and b) and c` is not the same tree as `a and b and c`.
         */
        readonly isGrouped?: true;
      }
    | {
        readonly kind: "conditional";
        readonly test: Expression;
        readonly body: Expression;
        readonly orElse: Expression;
      }
    /** Items may be `starred`. */
    | { readonly kind: "list" | "tuple" | "set"; readonly items: readonly Expression[] }
    /** `*value` among items or arguments. */
    | { readonly kind: "starred"; readonly value: Expression }
    | { readonly kind: "dict"; readonly entries: readonly DictEntry[] }
    | Comprehension
    | { readonly kind: "lambda"; readonly fn: FunctionBody }
    /** `name := value` */
    | { readonly kind: "named"; readonly name: string; readonly value: Expression }
    /** Only as a statement, or as a whole assigned or returned value, after hoisting. */
    | { readonly kind: "yield"; readonly value: Expression | null; readonly delegates: boolean }
    /** `1:2` as one of several indices. */
    | { readonly kind: "sliceValue"; readonly bounds: Bounds }
    /** The bytes of `b'…'`, one per character. */
    | { readonly kind: "bytes"; readonly bytes: string }
    /** `2j` */
    | { readonly kind: "imaginary"; readonly value: number }
    /** Valid Python that is not supported; `what` names the feature in messages. */
    | { readonly kind: "unsupported"; readonly what: string }
  );
