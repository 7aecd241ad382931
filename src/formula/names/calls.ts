import type { Call, Expression } from "../ast.ts";
import { givenBy, NEIGHBOURS } from "./builtins.ts";
import type { Known } from "./known.ts";
import { columnNames } from "./places.ts";
import type { Walk } from "./walk.ts";

/** What is known of what a call gives. Notes the names in it, those of columns among keywords too. */
export function visitCall(walk: Walk, node: Call): Known | undefined {
  const callee = walk.visit(node.callee);
  const values = node.positional.map((argument) => walk.visit(argument));
  const named = new Map(node.keywords.map(({ name, value }) => [name, walk.visit(value)]));
  const given = values.length > 0 ? values : [named.get(SUBJECT)];
  const lookedUp = lookedUpIn(callee, given);
  if (lookedUp !== undefined) noteConditions(walk, node, lookedUp);
  if (callee?.kind === "function") return callee.gives;
  if (callee?.kind !== "builtin") return undefined;
  const [subject] = given;
  if (NEIGHBOURS.has(callee.name) && subject?.kind === "record") {
    noteOrder(walk, node, { table: subject.table, keywords: GROUPED });
  }
  return givenBy(callee.name, given);
}

/** The parameter of `PREVIOUS` and its like that may be named too. */
const SUBJECT = "rec";

const ORDERED: ReadonlySet<string> = new Set(["order_by"]);
const GROUPED: ReadonlySet<string> = new Set(["order_by", "group_by"]);

/** Keywords of look-ups that are no columns. Columns that `sort_by` names are not followed. */
const OPTIONS: ReadonlySet<string> = new Set(["order_by", "sort_by"]);

/** The table whose columns the keywords of a call are. */
function lookedUpIn(callee: Known | undefined, [subject]: readonly (Known | undefined)[]): string | undefined {
  if (callee?.kind === "function") return callee.looksUpIn;
  if (callee?.kind !== "builtin" || callee.name !== "VLOOKUP") return undefined;
  return subject?.kind === "table" ? subject.table : undefined;
}

function noteConditions(walk: Walk, node: Call, table: string): void {
  for (const { name, span } of node.keywords) {
    if (name !== null && span && !OPTIONS.has(name)) walk.noteColumn(span, table, name);
  }
  noteOrder(walk, node, { table, keywords: ORDERED });
}

function noteOrder(
  walk: Walk,
  node: Call,
  { table, keywords }: { table: string; keywords: ReadonlySet<string> },
): void {
  const named: Expression[] = node.keywords.flatMap(({ name, value }) =>
    name !== null && keywords.has(name) ? [value] : [],
  );
  for (const { column, ...span } of named.flatMap((value) => columnNames(walk.text, value))) {
    walk.noteColumn(span, table, column);
  }
}
