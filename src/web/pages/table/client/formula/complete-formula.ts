/** What can be inserted at the caret of a formula. */
import { functionName } from "../../../../base/function-list.ts";
import { type FormulaSchema, lookupTable, type SchemaColumn, valueOf } from "./formula-schema.ts";
import { type EnclosingCall, scanFormula } from "./scan.ts";

export type SuggestionKind = "column" | "table" | "function" | "member" | "argument" | "name";

export interface Suggestion {
  readonly kind: SuggestionKind;
  /** What people know it by. */
  readonly shown: string;
  /** The text that replaces what was typed. */
  readonly insert: string;
  /** The name in formulas where it differs from that, and the type. */
  readonly id?: string;
  readonly type?: string;
  /** About a function, in English. */
  readonly about?: string;
}

export interface Suggestions {
  /** Where the typed part begins. */
  readonly from: number;
  readonly options: readonly Suggestion[];
}

/** Python's functions and modules that formulas can use; a test compares them with those of the server. */
export const BUILTINS: readonly string[] = (
  "abs all any bool chr datetime dict divmod enumerate filter float format frozenset getattr hasattr hash int isinstance iter " +
  "len list map math max min next ord pow range re repr reversed round set slice sorted str sum tuple type zip"
).split(" ");

const MEMBERS: readonly Suggestion[] = [
  { kind: "member", shown: "lookupRecords", insert: "lookupRecords(" },
  { kind: "member", shown: "lookupOne", insert: "lookupOne(" },
  { kind: "member", shown: "all", insert: "all" },
];

/** Options of a long list that are of use. */
const MAX_OPTIONS = 200;

/** An expression before the caret: names, members, arguments and indexes. */
const CHAIN =
  /(?:\$?[\p{L}_][\p{L}\p{N}_]*)(?:\s*\.\s*[\p{L}_][\p{L}\p{N}_]*|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[[^[\]]*\])*\s*\.\s*$/u;
const MAX_CHAIN = 500;

export interface CompletionOptions {
  readonly schema: FormulaSchema;
  readonly isExplicit: boolean;
  /** The formula fills cells of data. */
  readonly isTrigger?: boolean;
}

/** The former value of the cell, and who changes the row. */
const TRIGGER_NAMES: readonly Suggestion[] = ["value", "user"].map((name) => ({
  kind: "name",
  shown: name,
  insert: name,
}));

const USER_MEMBERS: readonly Suggestion[] = ["Name", "Email", "UserID", "Access"].map((name) => ({
  kind: "member",
  shown: name,
  insert: name,
}));

/**
 * Returns the suggestions, best first; null when there are none.
 * @param isExplicit whether the user asked for them; otherwise something must have been typed
 */
export function completeFormula(
  text: string,
  caret: number,
  { schema, isExplicit, isTrigger = false }: CompletionOptions,
): Suggestions | null {
  const scan = scanFormula(text, caret);
  if (scan.isLiteral) return null;
  const before = text.slice(0, caret);
  const [typed = ""] = /\$?[\p{L}\p{N}_]*$/u.exec(before) ?? [];
  const from = caret - typed.length;
  if (typed.startsWith("$")) {
    const options = columnsOf(schema, schema.table).map((column) => columnOption(column, "$"));
    return found(from, options, typed.slice(1));
  }
  if (/\.\s*$/.test(before.slice(0, from))) {
    const chain = CHAIN.exec(before.slice(Math.max(0, from - MAX_CHAIN), from))?.[0].replace(/\s*\.\s*$/, "");
    if (chain === undefined) return null;
    return found(from, isTrigger && chain === "user" ? USER_MEMBERS : membersOf(chain, schema), typed);
  }
  if (/^\p{N}/u.test(typed)) return null;
  const call = scan.calls.at(-1);
  const named = call?.isAtStart ? argumentsOf(call, schema) : [];
  if (typed === "" && !isExplicit) return named.length > 0 && call?.index === 0 ? found(from, named, "") : null;
  return found(from, [...named, ...(isTrigger ? TRIGGER_NAMES : []), ...globalsOf(schema)], typed);
}

function found(from: number, options: readonly Suggestion[], typed: string): Suggestions | null {
  const ranked = rank(options, typed);
  return ranked.length > 0 ? { from, options: ranked } : null;
}

/** What begins with the typed text comes before what contains it; names and ids count alike. */
export function rank(options: readonly Suggestion[], typed: string): Suggestion[] {
  const wanted = typed.toLowerCase();
  const ranked = options.flatMap((option) => {
    // Nothing is left to insert: Enter then starts a new line.
    if (option.insert.toLowerCase() === wanted) return [];
    const names = [option.shown, option.id ?? ""].map((name) => name.toLowerCase());
    const score = names.some((name) => name.startsWith(wanted))
      ? 0
      : names.some((name) => name.includes(wanted))
        ? 1
        : 2;
    return score < 2 ? [{ option, score }] : [];
  });
  return ranked
    .toSorted((one, other) => one.score - other.score)
    .slice(0, MAX_OPTIONS)
    .map(({ option }) => option);
}

const columnsOf = ({ tables }: FormulaSchema, table: string): readonly SchemaColumn[] =>
  tables.get(table)?.columns ?? [];

function columnOption({ id, label, type }: SchemaColumn, prefix = "", suffix = ""): Suggestion {
  const kind = suffix === "" ? "column" : "argument";
  return { kind, shown: label || id, insert: `${prefix}${id}${suffix}`, id: `${prefix}${id}${suffix}`, type };
}

function membersOf(chain: string, schema: FormulaSchema): readonly Suggestion[] {
  const value = valueOf(chain, schema);
  if (!value) return [];
  return value.kind === "table" ? MEMBERS : columnsOf(schema, value.table).map((column) => columnOption(column));
}

/** The columns that a look-up compares, and its order. */
function argumentsOf({ callee, names }: EnclosingCall, schema: FormulaSchema): Suggestion[] {
  const table = lookupTable(callee, schema);
  if (table === null) return [];
  return [
    ...columnsOf(schema, table).map((column) => columnOption(column, "", "=")),
    { kind: "argument" as const, shown: "order_by", insert: "order_by=", id: "order_by=" },
  ].filter(({ insert }) => !names.includes(insert.slice(0, -1)));
}

function globalsOf(schema: FormulaSchema): Suggestion[] {
  return [
    ...columnsOf(schema, schema.table).map((column) => columnOption(column, "$")),
    ...[...schema.tables.values()].map(({ id, title }): Suggestion => ({
      kind: "table",
      shown: title || id,
      insert: id,
      id,
    })),
    ...schema.functions.map(({ signature, about }): Suggestion => {
      const name = functionName(signature);
      return { kind: "function", shown: name, insert: `${name}(`, type: signature.slice(name.length), about };
    }),
    ...BUILTINS.map((name): Suggestion => ({ kind: "name", shown: name, insert: name })),
  ];
}
