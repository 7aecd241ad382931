import { quote } from "../../../sqlite/quote.ts";
import type { SqlValue } from "../../../sqlite/database.ts";
import type { ColumnType } from "../../../values/column-type.ts";
import { allOf, anyOf, MATCH_ALL, MATCH_NONE, notOf, type SqlCondition } from "../../filters/sql-condition.ts";
import type { StoredType } from "../access-types.ts";
import { evaluatePredicate, type RuleContext, RowRequiredError, RuleError } from "./compile-predicate.ts";
import { columnsRead, type Operator, type Predicate, readsRow } from "./predicate.ts";
import { ruleValue, type RuleValue } from "./rule-values.ts";

/** A condition that decides as its rule does, for rows whose cells have none of these stored types. */
export interface PredicateSql {
  /** 1 or 0 for every row. */
  readonly condition: SqlCondition;
  /** By stored column. */
  readonly excluded: ReadonlyMap<string, ReadonlySet<StoredType>>;
}

export interface PredicateSqlOptions {
  /** A context without a row. */
  readonly context: RuleContext;
  /** Returns the type of a stored column; undefined for others. */
  readonly typeOf: (column: string) => ColumnType | undefined;
}

/** Returns the condition of a predicate in SQL; null where SQLite would have to convert values, or could decide otherwise. */
export function predicateSql(predicate: Predicate, options: PredicateSqlOptions): PredicateSql | null {
  try {
    return new Translation(options).translate(predicate);
  } catch (error) {
    if (error instanceof Untranslatable || error instanceof RuleError || error instanceof RowRequiredError) return null;
    throw error;
  }
}

class Untranslatable extends Error {}

/** How a column holds values: numbers, also dates as seconds; truth values as 0 and 1; texts. */
type Kind = "number" | "boolean" | "text";

interface SqlColumn {
  readonly id: string;
  readonly kind: Kind;
  /** Quoted. */
  readonly name: string;
}

/** Integers above are not exact as numbers of JavaScript, which rules compare. */
const MAX_EXACT = Number.MAX_SAFE_INTEGER;
const FLIPPED = { Lt: "Gt", LtE: "GtE", Gt: "Lt", GtE: "LtE" } as const;
const ORDER = { Lt: "<", LtE: "<=", Gt: ">", GtE: ">=" } as const;
type OrderOperator = keyof typeof ORDER;
const isOrder = (operator: Operator): operator is OrderOperator => operator in ORDER;

class Translation {
  readonly #options: PredicateSqlOptions;
  readonly #excluded = new Map<string, Set<StoredType>>();

  constructor(options: PredicateSqlOptions) {
    this.#options = options;
  }

  translate(predicate: Predicate): PredicateSql {
    // A marshalled cell can be any value.
    for (const column of columnsRead(predicate)) if (column !== "id") this.#exclude(column, "blob");
    return { condition: this.#truth(predicate), excluded: this.#excluded };
  }

  #exclude(column: string, type: StoredType): void {
    const types = this.#excluded.get(column) ?? new Set();
    this.#excluded.set(column, types.add(type));
  }

  /** Whether the value of a part is true. */
  #truth(node: Predicate): SqlCondition {
    if (!readsRow(node)) return this.#constant(node) ? MATCH_ALL : MATCH_NONE;
    if (node.kind === "logic") {
      const parts = node.operands.map((operand) => this.#truth(operand));
      return node.operator === "And" ? allOf(parts) : anyOf(parts);
    }
    if (node.kind === "operation") return this.#operation(node.operator, node.operands);
    const column = this.#column(node);
    const text = { sql: `typeof(${column.name}) = 'text' and ${column.name} <> ''`, args: [] };
    return anyOf([{ sql: `coalesce(${numberOf(column)}, 0) <> 0`, args: [] }, text]);
  }

  #operation(operator: Operator, [left, right]: readonly Predicate[]): SqlCondition {
    if (left && operator === "Not") return notOf(this.#truth(left));
    if (!left || !right) throw new Untranslatable();
    if (operator === "In" || operator === "NotIn") {
      const found = this.#in(left, right);
      return operator === "In" ? found : notOf(found);
    }
    const [row, value, isFlipped] = readsRow(left) ? ([left, right, false] as const) : ([right, left, true] as const);
    const column = this.#column(row);
    const constant = this.#constant(value);
    if (isOrder(operator)) return this.#compare(column, isFlipped ? FLIPPED[operator] : operator, constant);
    if (operator === "Eq" || operator === "Is") return this.#equals(column, constant);
    if (operator === "NotEq" || operator === "IsNot") return notOf(this.#equals(column, constant));
    throw new Untranslatable();
  }

  #in(left: Predicate, right: Predicate): SqlCondition {
    const column = this.#column(left);
    const values = this.#constant(right);
    if (values === null || values === undefined) return MATCH_NONE;
    if (!Array.isArray(values)) throw new Untranslatable();
    return anyOf(values.map((value: RuleValue) => this.#equals(column, value)));
  }

  #equals(column: SqlColumn, value: RuleValue): SqlCondition {
    const { name, kind } = column;
    if (value === null) return { sql: `typeof(${name}) <> 'text' and ${numberOf(column)} is null`, args: [] };
    // The number of a text parameter would depend on the column's affinity.
    if (typeof value === "string")
      return { sql: `typeof(${name}) = 'text' and cast(${name} as text) = ?`, args: [value] };
    if (typeof value === "boolean") {
      // Only cells of truth values are decoded as such.
      return kind === "boolean" ? equalsNumber(column, Number(value)) : MATCH_NONE;
    }
    if (typeof value !== "number" || !(Math.abs(value) < MAX_EXACT)) throw new Untranslatable();
    if (kind === "boolean" && (value === 0 || value === 1)) return MATCH_NONE;
    return equalsNumber(column, value);
  }

  /** As in JavaScript, an empty cell counts as 0. */
  #compare(column: SqlColumn, operator: OrderOperator, value: RuleValue): SqlCondition {
    if (typeof value !== "number" || !(Math.abs(value) < MAX_EXACT) || column.kind === "text")
      throw new Untranslatable();
    if (column.id !== "id") this.#exclude(column.id, "text");
    return { sql: `coalesce(${numberOf(column)}, 0) ${ORDER[operator]} ?`, args: [value] };
  }

  #constant(node: Predicate): RuleValue {
    if (readsRow(node)) throw new Untranslatable();
    return evaluatePredicate(node, this.#options.context);
  }

  #column(node: Predicate): SqlColumn {
    const isColumn = node.kind === "attribute" && node.object.kind === "name" && readsRow(node.object);
    if (!isColumn) throw new Untranslatable();
    const { name: id } = node;
    if (id === "id") return { id, kind: "number", name: "id" };
    const type = this.#options.typeOf(id);
    if (!type) throw new Untranslatable();
    return { id, kind: kindOf(type), name: quote(id) };
  }
}

/** Finds out how a column's cells are decoded by decoding some. */
function kindOf(type: ColumnType): Kind {
  const decode = (stored: SqlValue): RuleValue => ruleValue(type.decode(stored));
  if (decode("abc") !== "abc" || decode(null) !== null) throw new Untranslatable();
  if (type.base === "Text" || type.base === "Choice") return "text";
  if (decode(1) === true && decode(0) === false && decode(5) === 5) return "boolean";
  if (decode(0) === 0 && decode(1) === 1 && decode(86_400) === 86_400 && decode(-0.5) === -0.5) return "number";
  throw new Untranslatable();
}

/** The number of a cell; null for cells without a finite one. */
const numberOf = ({ name }: SqlColumn): string =>
  `(case when typeof(${name}) in ('integer', 'real') and abs(${name}) <= 1.7976931348623157e308 then ${name} end)`;

/** Without affinity the column is compared as it is stored: no text equals a number. */
const equalsNumber = ({ name }: SqlColumn, value: number): SqlCondition => ({ sql: `+${name} is ?`, args: [value] });
