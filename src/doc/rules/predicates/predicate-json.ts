import { pyRepr } from "../../../formula/runtime/values.ts";
import type { ParsedPredicate, Predicate } from "./predicate.ts";
import { parsePredicate } from "./parse-predicate.ts";

/**
 * Returns the parsed form stored beside a rule's formula: its tree as JSON, spaced as Python's `json` module does.
 * Other programs that open the file evaluate it. Empty for an empty formula.
 * @throws AppError `invalid` when the formula cannot be parsed
 */
export const parsedFormulaText = (formula: string): string =>
  formula === "" ? "" : predicateJson(parsePredicate(formula));

/** Returns JSON such as `["Eq", ["Attr", ["Name", "rec"], "V"], ["Const", 1]]`. */
export function predicateJson({ predicate, comment }: ParsedPredicate): string {
  const tree = nodeJson(predicate);
  return comment === null ? tree : listJson(["Comment", tree, textJson(comment)]);
}

function nodeJson(node: Predicate): string {
  switch (node.kind) {
    case "constant":
      return listJson(["Const", constantJson(node.value)]);
    case "name":
      return listJson(["Name", textJson(node.name)]);
    case "attribute":
      return listJson(["Attr", nodeJson(node.object), textJson(node.name)]);
    case "call":
      return listJson(["Call", nodeJson(node.callee), ...node.args.map(nodeJson)]);
    case "list":
      return listJson(["List", ...node.items.map(nodeJson)]);
    case "logic":
    case "operation":
      return listJson([node.operator, ...node.operands.map(nodeJson)]);
    default:
      return node satisfies never;
  }
}

const listJson = ([name = "", ...parts]: readonly string[]): string => `[${[`"${name}"`, ...parts].join(", ")}]`;

function constantJson(value: (Predicate & { kind: "constant" })["value"]): string {
  if (typeof value === "string") return textJson(value);
  if (typeof value !== "number") return String(value);
  return Number.isFinite(value) ? pyRepr(value) : String(value);
}

/** Escapes all characters beyond ASCII. */
const textJson = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
