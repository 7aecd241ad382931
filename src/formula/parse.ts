import { parser as lezer } from "@lezer/python";
import type { Expression } from "./ast.ts";
import { notSupported, PyError, syntaxError } from "./errors.ts";
import type { Source } from "./source.ts";
import { ExpressionReader } from "./parse-expression.ts";
import { childrenOf, type SyntaxNode } from "./syntax-node.ts";

/** A formula that can be read. */
export type Formula =
  /** Nothing but blanks. */
  | { readonly kind: "blank" }
  /** Nothing but comments. */
  | { readonly kind: "comment" }
  | { readonly kind: "expression"; readonly expression: Expression }
  /** Valid, as far as it was looked at, but made of more than one expression. */
  | { readonly kind: "statements"; readonly what: string };

// Stops at the first mistake. Going on after one serves editors; here it would only take time.
const parser = lezer.configure({ strict: true });

/** Reads a formula. Throws PyError SyntaxError or IndentationError. */
export function parseFormula(source: Source): Formula {
  if (/^\s*$/.test(source.text)) return { kind: "blank" };
  const script = parseScript(source);
  const statements = childrenOf(script).filter((node) => node.name !== "Comment");
  for (const statement of statements) checkIndent(source.text, statement);
  const [only] = statements;
  if (!only) return { kind: "comment" };
  const parts = childrenOf(only);
  if (statements.length === 1 && only.name === "ExpressionStatement") return readSingle(source, parts);
  if (statements.length === 1 && only.name === "StatementGroup") {
    const [first, semicolon, ...others] = parts;
    if (first?.name === "ExpressionStatement" && semicolon && others.length === 0) {
      return readSingle(source, childrenOf(first));
    }
  }
  checkReturns(script, statements.at(-1));
  return { kind: "statements", what: "formulas of several statements" };
}

function readSingle(source: Source, parts: readonly SyntaxNode[]): Formula {
  const reader = new ExpressionReader(source);
  return { kind: "expression", expression: reader.readItemsOrOne(parts) };
}

function parseScript(source: Source): SyntaxNode {
  try {
    return parser.parse(source.code).topNode;
  } catch (error) {
    const specs = withoutEqualsSpecs(source.code);
    if (specs) return specs;
    if (error instanceof RangeError) throw syntaxError("the formula is nested too deeply");
    const at = /^No parse at (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    if (at === undefined) throw error;
    const line = source.text.slice(0, Number(at)).split("\n").length;
    if (BEYOND_PARSER.test(source.text)) throw notSupported("match statements and starred loop targets");
    if (lacksBlock(source.text)) throw new PyError("IndentationError", "expected an indented block");
    throw syntaxError(`invalid syntax (line ${line})`);
  }
}

/**
 * The tree when it is `:=` in f-strings that the parser does not get, as in `{value:=10}`, where it begins a format.
 * Another sign of the same length is no valid Python anywhere but there.
 */
function withoutEqualsSpecs(code: string): SyntaxNode | undefined {
  if (!code.includes(":=")) return undefined;
  try {
    return parser.parse(code.replaceAll(":=", ":>")).topNode;
  } catch {
    return undefined;
  }
}

/** Valid Python that the parser refuses in some forms: such formulas are not wrong, as far as we know. */
const BEYOND_PARSER = /^[ \t]*match\b.*:[ \t]*(?:#.*)?$|\bfor\b[^\n:]*,[ \t]*\*/m;

const BLOCK_HEAD = /^([ \t]*)(?:if|elif|else|for|while|try|except|finally|with|def|class)\b.*:[ \t]*(?:#.*)?$/;

/** True when a line that begins a block is not followed by one that is further in. */
function lacksBlock(text: string): boolean {
  const lines = text.split("\n").filter((line) => !/^[ \t]*(?:#.*)?$/.test(line));
  return lines.some((line, index) => {
    const head = BLOCK_HEAD.exec(line);
    return (
      head !== null && !lines[index + 1]?.startsWith(`${head[1]} `) && !lines[index + 1]?.startsWith(`${head[1]}\t`)
    );
  });
}

/** The parser accepts any indentation at the top. */
function checkIndent(text: string, statement: SyntaxNode): void {
  const before = text.slice(text.lastIndexOf("\n", statement.from - 1) + 1, statement.from);
  if (/^[ \t]+$/.test(before) && !continuesLine(text, statement.from - before.length)) {
    throw new PyError("IndentationError", "unexpected indent");
  }
}

const continuesLine = (text: string, lineStart: number): boolean => text.endsWith("\\\n", lineStart);

/** A formula gives its last expression, or what is returned somewhere: one of them there must be. */
function checkReturns(script: SyntaxNode, last: SyntaxNode | undefined): void {
  const final = last?.name === "StatementGroup" ? childrenOf(last).findLast((node) => node.name !== ";") : last;
  let returns = final?.name === "ExpressionStatement";
  script.cursor().iterate((node) => {
    // Where the parser gave up on nesting it left a mark, and took the rest for other statements.
    if (node.type.isError) throw syntaxError("the formula is nested too deeply");
    returns ||= node.name === "ReturnStatement";
  });
  if (!returns) throw syntaxError("no value is returned");
}
