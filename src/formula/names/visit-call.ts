import type { Call, Expression } from "../parser/ast.ts";
import { builtinResultType, NEIGHBOURS } from "./builtin-result-types.ts";
import type { InferredType } from "./inferred-type.ts";
import { columnNames } from "./name-references.ts";
import type { WalkContext } from "./walk-context.ts";

/** Returns the result type of a call. Adds the names in it, including keywords that are columns. */
export function visitCall(walk: WalkContext, node: Call): InferredType | undefined {
  const callee = walk.visit(node.callee);
  const values = node.positional.map((argument) => walk.visit(argument));
  const named = new Map(node.keywords.map(({ name, value }) => [name, walk.visit(value)]));
  const positionalTypes = values.length > 0 ? values : [named.get(SUBJECT)];
  const lookupTable = lookupTableOf(callee, positionalTypes);
  if (lookupTable !== undefined) addConditionReferences(walk, node, lookupTable);
  if (callee?.kind === "function") return callee.gives;
  if (callee?.kind !== "builtin") return undefined;
  const [subject] = positionalTypes;
  if (NEIGHBOURS.has(callee.name) && subject?.kind === "record") {
    addOrderReferences(walk, node, { table: subject.table, keywords: GROUPED });
  }
  return builtinResultType(callee.name, positionalTypes);
}

/** The parameter of `PREVIOUS`, `NEXT` and `RANK` that may be passed by keyword. */
const SUBJECT = "rec";

const ORDERED: ReadonlySet<string> = new Set(["order_by"]);
const GROUPED: ReadonlySet<string> = new Set(["order_by", "group_by"]);

/** Keywords of look-ups that are not columns. Columns in `sort_by` are not tracked. */
const LOOKUP_OPTIONS: ReadonlySet<string> = new Set(["order_by", "sort_by"]);

/** Returns the table whose columns the keywords of a call name. */
function lookupTableOf(
  callee: InferredType | undefined,
  [subject]: readonly (InferredType | undefined)[],
): string | undefined {
  if (callee?.kind === "function") return callee.looksUpIn;
  if (callee?.kind !== "builtin" || callee.name !== "VLOOKUP") return undefined;
  return subject?.kind === "table" ? subject.table : undefined;
}

function addConditionReferences(walk: WalkContext, node: Call, table: string): void {
  for (const { name, span } of node.keywords) {
    if (name !== null && span && !LOOKUP_OPTIONS.has(name)) walk.addColumnReference(span, table, name);
  }
  addOrderReferences(walk, node, { table, keywords: ORDERED });
}

function addOrderReferences(
  walk: WalkContext,
  node: Call,
  { table, keywords }: { table: string; keywords: ReadonlySet<string> },
): void {
  const named: Expression[] = node.keywords.flatMap(({ name, value }) =>
    name !== null && keywords.has(name) ? [value] : [],
  );
  for (const { column, ...span } of named.flatMap((value) => columnNames(walk.text, value))) {
    walk.addColumnReference(span, table, column);
  }
}
