import { AppError, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { wellFormed } from "../../lib/text/well-formed.ts";
import { isOperator, OPERATORS, type Operator } from "./operators.ts";

/** A parsed filter: operators are known, but not columns and operands, which depend on the table. */
export interface Filter {
  readonly root: FilterNode;
  /** Equal for equal filters. */
  readonly key: string;
  /** True when the result may depend on the current date: operands can be texts such as `today`. */
  readonly dependsOnDate: boolean;
}

export type FilterNode =
  | { readonly kind: "all" | "any"; readonly parts: readonly FilterNode[] }
  | { readonly kind: "not"; readonly part: FilterNode }
  /** The allowed values of a column, compared as they are stored. */
  | { readonly kind: "list"; readonly column: string; readonly allowed: readonly unknown[] }
  | {
      readonly kind: "comparison";
      readonly column: string;
      readonly operator: Operator;
      readonly operand: unknown;
    };

/** True for a filter that may have operators, for which texts such as `today` are dates. */
export const mayDependOnDate = (text: string | undefined): boolean => text !== undefined && /\{[^]*\{/.test(text);

/** Limits of a filter. Lists of values at its top level do not count as conditions. */
export const FILTER_LIMITS = { conditions: 100, depth: 8 } as const;

/**
 * Parses the filter of a query: JSON text; undefined, `{}` and `[]` mean no filter.
 * @throws AppError `invalid`
 */
export function parseFilter(text: string | undefined): Filter | null {
  if (text === undefined || text === "") return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidFilter("filter is not JSON");
  }
  return parseFilterValue(value);
}

/** Like `parseFilter`, for the filter of a JSON body. @throws AppError `invalid` */
export function parseFilterValue(value: unknown): Filter | null {
  if (value === undefined) return null;
  if (value === null || typeof value !== "object") throw invalidFilter("filter must be a JSON object");
  if (Object.keys(value).length === 0) return null;
  const parser = new FilterParser();
  const object = wellFormed(value);
  const root = parser.parseObject(object, { path: "filter", depth: 0 });
  return { root, key: JSON.stringify(object), dependsOnDate: parser.hasComparisons };
}

/** Where a part of a filter is. */
interface Position {
  readonly path: string;
  /** How many `and`, `or` and `not` contain it. */
  readonly depth: number;
}

class FilterParser {
  hasComparisons = false;
  #conditions = 0;

  parseObject(value: unknown, position: Position): FilterNode {
    if (value === null || typeof value !== "object" || Array.isArray(value))
      throw invalidFilter(`${position.path} must be an object`);
    const parts = Object.entries(value).map(([key, item]) =>
      this.#parseEntry(key, item, { ...position, path: `${position.path}.${key}` }),
    );
    const [single] = parts;
    return single && parts.length === 1 ? single : { kind: "all", parts };
  }

  #parseEntry(key: string, value: unknown, position: Position): FilterNode {
    if (key === "and" || key === "or") {
      return { kind: key === "and" ? "all" : "any", parts: this.#parseParts(value, position) };
    }
    if (key === "not") return { kind: "not", part: this.parseObject(value, this.#inner(position)) };
    if (Array.isArray(value)) {
      if (position.depth > 0) this.#countCondition();
      return { kind: "list", column: key, allowed: value as readonly unknown[] };
    }
    if (value === null || typeof value !== "object") throw frozenError(FROZEN.filterValues);
    return this.#parseComparisons(key, value, position);
  }

  #parseParts(value: unknown, position: Position): FilterNode[] {
    if (!Array.isArray(value) || value.length === 0)
      throw invalidFilter(`${position.path} must be a non-empty list of filters`);
    const inner = this.#inner(position);
    return value.map((part, at) => this.parseObject(part, { ...inner, path: `${position.path}[${at}]` }));
  }

  #parseComparisons(column: string, value: object, { path }: Position): FilterNode {
    const entries = Object.entries(value);
    if (entries.length === 0) throw invalidFilter(`${path} must have an operator`);
    this.hasComparisons = true;
    const parts = entries.map(([operator, operand]): FilterNode => {
      if (!isOperator(operator)) {
        throw new AppError(
          "filter.operator",
          `${path} has the unknown operator ${JSON.stringify(operator)}; known are ${OPERATORS.join(", ")}`,
        );
      }
      this.#countCondition();
      return { kind: "comparison", column, operator, operand };
    });
    const [single] = parts;
    return single && parts.length === 1 ? single : { kind: "all", parts };
  }

  #inner({ path, depth }: Position): Position {
    if (depth >= FILTER_LIMITS.depth)
      throw tooComplex(`filter must nest and, or and not at most ${FILTER_LIMITS.depth} levels deep`);
    return { path, depth: depth + 1 };
  }

  #countCondition(): void {
    if (++this.#conditions > FILTER_LIMITS.conditions)
      throw tooComplex(`filter must have at most ${FILTER_LIMITS.conditions} conditions`);
  }
}

const invalidFilter = (message: string): AppError => new AppError("filter.invalid", message);
export const tooComplex = (message: string): AppError => new AppError("filter.too_complex", message);
