import { parser as lezer } from "@lezer/python";
import type { FunctionBody, Statement } from "./ast.ts";
import { Bindings } from "./bindings.ts";
import { notSupported, PyError, syntaxError } from "../runtime/errors.ts";
import { prepareSource, type Source } from "./source.ts";
import { ExpressionParser } from "./parse-expression.ts";
import { parseFunction } from "./parse-functions.ts";
import { parseStatements } from "./parse-statements.ts";
import { childrenOf, type SyntaxNode } from "./syntax-node.ts";

/** A parsed formula. */
export type Formula =
  /** Only white space. */
  | { readonly kind: "blank" }
  /** Only comments. */
  | { readonly kind: "comment" }
  /** The body of a function without parameters. A last statement that is an expression became a `return`. */
  | { readonly kind: "function"; readonly fn: FunctionBody };

// Strict mode stops at the first syntax error. Error recovery serves editors and would only take time here.
const pythonParser = lezer.configure({ strict: true });

/** Parses a formula. Throws PyError SyntaxError or IndentationError. */
export function parseFormula(source: Source): Formula {
  if (/^\s*$/.test(source.text)) return { kind: "blank" };
  const script = parseScript(source);
  const statements = childrenOf(script).filter((node) => node.name !== "Comment");
  for (const statement of statements) checkIndent(source.text, statement);
  if (statements.length === 0) return { kind: "comment" };
  const nodeParser = new ExpressionParser(source, new Bindings("function"));
  const fn = parseFunction(nodeParser, [], () => returnLast(parseStatements(nodeParser, statements)));
  checkReturns(script, fn.body.at(-1));
  return { kind: "function", fn };
}

/** Parses a single expression as the body of a function that returns it. Throws PyError SyntaxError. */
export function parseExpressionText(text: string): FunctionBody {
  const source = prepareSource(text.replace(/^[ \t]+/, ""));
  const script = parseScript(source);
  const nodes = childrenOf(script).filter((node) => node.name !== "Comment");
  const [only] = nodes;
  if (nodes.length !== 1 || only?.name !== "ExpressionStatement") throw syntaxError("invalid syntax");
  rejectErrorNodes(script);
  const nodeParser = new ExpressionParser(source, new Bindings("function"));
  const fn = parseFunction(nodeParser, [], () => returnLast(parseStatements(nodeParser, nodes)));
  if (fn.isGenerator) throw syntaxError("'yield' outside function");
  return fn;
}

/** The Lezer parser marks nesting beyond its limit with an error node and parses the rest as other statements. */
function rejectErrorNodes(script: SyntaxNode): void {
  script.cursor().iterate((node) => {
    if (node.type.isError) throw syntaxError("the formula is nested too deeply");
  });
}

/** Turns the last expression statement into a `return`. */
function returnLast(statements: readonly Statement[]): Statement[] {
  const last = statements.at(-1);
  if (last?.kind !== "expression") return [...statements];
  // Python has no `return yield x` without parentheses.
  if (last.value.kind === "yield" && last.value.from === last.from) throw syntaxError("invalid syntax");
  return [...statements.slice(0, -1), { kind: "return", value: last.value, from: last.from, to: last.to }];
}

function parseScript(source: Source): SyntaxNode {
  try {
    return pythonParser.parse(source.maskedCode).topNode;
  } catch (error) {
    const specs = parseWithMaskedSpecs(source.maskedCode);
    if (specs) return specs;
    if (error instanceof RangeError) throw syntaxError("the formula is nested too deeply");
    const at = /^No parse at (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    if (at === undefined) throw error;
    const line = source.text.slice(0, Number(at)).split("\n").length;
    if (isUnparsablePython(source.text)) throw notSupported("match statements of this form");
    if (hasMissingBlock(source.text)) throw new PyError("IndentationError", "expected an indented block");
    throw syntaxError(`invalid syntax (line ${line})`);
  }
}

/**
 * Retries with `:=` in f-strings masked: the Lezer parser does not support `{value:=10}`, where it starts a format
 * spec. The replacement has the same length and is invalid Python everywhere else.
 */
function parseWithMaskedSpecs(code: string): SyntaxNode | undefined {
  if (!code.includes(":=")) return undefined;
  try {
    return pythonParser.parse(code.replaceAll(":=", ":>")).topNode;
  } catch {
    return undefined;
  }
}

/** Valid Python that the Lezer parser rejects: such formulas are unsupported rather than wrong. */
const UNPARSABLE_PYTHON =
  /^[ \t]*match\b[^\n=]*(?:,|:=)[^\n]*:[ \t]*(?:#.*)?$|^[ \t]*for\b[^\n]*\bin[ \t]*\*|^[ \t]*with[ \t]*\(/;

/** These patterns are too slow for longer lines. */
const MAX_LINE_LENGTH = 500;

const isUnparsablePython = (text: string): boolean =>
  text.split("\n").some((line) => line.length <= MAX_LINE_LENGTH && UNPARSABLE_PYTHON.test(line));

const BLOCK_HEADER = /^([ \t]*)(?:if|elif|else|for|while|try|except|finally|with|def|class)\b.*:[ \t]*(?:#.*)?$/;

/** Returns true when a line that starts a block is not followed by a more indented line. */
function hasMissingBlock(text: string): boolean {
  const lines = text.split("\n").filter((line) => !/^[ \t]*(?:#.*)?$/.test(line));
  return lines.some((line, index) => {
    const head = BLOCK_HEADER.exec(line);
    return (
      head !== null && !lines[index + 1]?.startsWith(`${head[1]} `) && !lines[index + 1]?.startsWith(`${head[1]}\t`)
    );
  });
}

/** The Lezer parser accepts any indentation at the top level. */
function checkIndent(text: string, statement: SyntaxNode): void {
  const before = text.slice(text.lastIndexOf("\n", statement.from - 1) + 1, statement.from);
  if (/^[ \t]+$/.test(before) && !continuesLine(text, statement.from - before.length)) {
    throw new PyError("IndentationError", "unexpected indent");
  }
}

const continuesLine = (text: string, lineStart: number): boolean => text.endsWith("\\\n", lineStart);

/** A formula must end with an expression or contain a `return`. */
function checkReturns(script: SyntaxNode, last: Statement | undefined): void {
  let returns = last?.kind === "return";
  script.cursor().iterate((node) => {
    // The Lezer parser marks nesting beyond its limit with an error node and parses the rest as other statements.
    if (node.type.isError) throw syntaxError("the formula is nested too deeply");
    returns ||= node.name === "ReturnStatement";
  });
  if (!returns) throw syntaxError("no value is returned");
}
