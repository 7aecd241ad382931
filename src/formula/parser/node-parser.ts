import type { Call, Expression } from "./ast.ts";
import type { Bindings } from "./bindings.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** Converts nodes of the Lezer tree to expressions. All its methods throw PyError SyntaxError. */
export interface NodeParser {
  /** The names of the function or comprehension that is being parsed. */
  readonly bindings: Bindings;
  /** Returns the result of `work`, which parses the body of a function or comprehension. */
  withBindings<T>(bindings: Bindings, work: () => T): T;
  /** Returns the result of `work`, which parses one nesting level deeper. */
  nested<T>(work: () => T): T;
  parse(node: SyntaxNode): Expression;
  /** Parses `a`, or `a, b` as a tuple. */
  parseItemsOrOne(parts: readonly SyntaxNode[]): Expression;
  /** Parses comma-separated items; `*value` becomes a starred item. */
  parseItems(parts: readonly SyntaxNode[]): Expression[];
  /** Parses the arguments of a call. */
  parseArguments(parts: readonly SyntaxNode[]): Pick<Call, "positional" | "keywords">;
  textOf(node: SyntaxNode): string;
  /** Returns a normalized identifier; throws for keywords. */
  identifier(name: string): string;
  /** Returns the indentation of a statement that starts its line; undefined if it does not start a line. */
  indentOf(node: SyntaxNode): string | undefined;
  /** Returns true for `*name`, also where the Lezer parser drops the star. */
  isStarred(node: SyntaxNode): boolean;
}
