import type { Call, Expression } from "./ast.ts";
import type { Bindings } from "./bindings.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** Turns nodes of the parser's tree into expressions. All its methods throw PyError SyntaxError. */
export interface NodeParser {
  /** Of the function or comprehension that is being read. */
  readonly bindings: Bindings;
  /** What `work` gives, which reads the inside of a function or comprehension. */
  withBindings<T>(bindings: Bindings, work: () => T): T;
  /** What `work` gives, one level of nesting further in. */
  nested<T>(work: () => T): T;
  parse(node: SyntaxNode): Expression;
  /** `a` or `a, b`, which is a tuple. */
  parseItemsOrOne(parts: readonly SyntaxNode[]): Expression;
  /** What stands between commas; `*value` becomes a starred item. */
  parseItems(parts: readonly SyntaxNode[]): Expression[];
  /** What stands between the parentheses of a call. */
  parseArguments(parts: readonly SyntaxNode[]): Pick<Call, "positional" | "keywords">;
  textOf(node: SyntaxNode): string;
  /** A name as Python takes it; keywords are none. */
  identifier(name: string): string;
  /** How far a statement that begins its line is indented; undefined if it does not begin one. */
  indentOf(node: SyntaxNode): string | undefined;
  /** True for `*name`, also where the parser did not see the star. */
  isStarred(node: SyntaxNode): boolean;
}
