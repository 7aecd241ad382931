import { AppError } from "../../errors.ts";
import type { CellValue } from "../../values/cell.ts";
import type { Row } from "../read/row-scan.ts";
import type { AggregatePlan, AggregateRequest } from "./aggregate-plan.ts";
import { compareValues } from "./compare-values.ts";
import type { GroupLevel, GroupValue } from "./group-level.ts";
import type { Accumulator } from "./measures.ts";
import { MAX_GROUPS, type ValueBudget } from "./value-budget.ts";

/** Rows with the same values of the first columns. */
interface GroupNode {
  /** One for each of the first columns. */
  readonly values: readonly GroupValue[];
  readonly children: Map<GroupValue, GroupNode>;
  /** Empty where no answer has the measures. */
  readonly accumulators: readonly Accumulator[];
}

export interface TreeMeasure {
  /** Returns the cell of a row as `decodeRaw` returns it; null to count rows. */
  readonly read: ((row: Row) => CellValue) | null;
  /** True for cells that the measure leaves out. */
  readonly isEmpty: (raw: CellValue) => boolean;
  readonly create: () => Accumulator;
}

interface GroupTreeOptions {
  readonly plan: AggregatePlan;
  readonly request: AggregateRequest;
  readonly levels: readonly GroupLevel[];
  readonly measures: readonly TreeMeasure[];
  readonly budget: ValueBudget;
}

/** The groups of all levels with their measures. */
export class GroupTree {
  readonly #options: GroupTreeOptions;
  readonly #root: GroupNode;
  readonly #maxValues: number;
  /** True once a column has too many values: then only values are counted. */
  #isExceeded = false;

  constructor(options: GroupTreeOptions) {
    this.#options = options;
    this.#maxValues = options.request.maxValues ?? Number.POSITIVE_INFINITY;
    // Without columns to group by there is one group, also of no rows.
    this.#root = this.#createNode([]);
  }

  add(row: Row): void {
    const { levels } = this.#options;
    let node = this.#root;
    this.#measure(node, row);
    for (const level of levels) {
      const value = level.valueOf(row);
      if (level.size > this.#maxValues) this.#exceed(level);
      if (this.#isExceeded) continue;
      let child = node.children.get(value);
      if (!child) {
        if (node.values.length === levels.length - 1) this.#options.budget.addGroup();
        child = this.#createNode([...node.values, value]);
        node.children.set(value, child);
      }
      node = child;
      this.#measure(node, row);
    }
  }

  /** @throws AppError `aggregate.too_many_values` when a column has too many values. Call after the last row. */
  checkValues(): void {
    const { levels } = this.#options;
    const at = levels.findIndex((level) => level.size > this.#maxValues);
    if (at >= 0) throw this.#tooManyValues(at, levels[at]?.size ?? null);
  }

  /** Returns the groups of all columns, in order. */
  leaves(sort: readonly string[]): GroupNode[] {
    return this.#ordered(this.#options.levels.length, sort);
  }

  /** Returns the groups of the first column, of the first two columns, and so on, but for those of all columns. */
  upperLevels(sort: readonly string[]): GroupNode[][] {
    return this.#options.levels.slice(1).map((_, at) => this.#ordered(at + 1, sort));
  }

  describe({ values, accumulators }: GroupNode): object {
    const { groups, measures } = this.#options.plan;
    return Object.fromEntries([
      ...values.flatMap(({ shown, text }, at) => {
        const group = groups[at];
        if (!group) return [];
        return [[group.name, shown] as const, ...(group.text === undefined ? [] : [[group.text, text ?? ""] as const])];
      }),
      ...measures.map(({ name }, at) => [name, accumulators[at]?.result()] as const),
    ]);
  }

  totals(): object {
    return this.describe({ ...this.#root, values: [] });
  }

  #ordered(depth: number, sort: readonly string[]): GroupNode[] {
    const nodes = nodesAt([this.#root], depth);
    const { request, plan, levels } = this.#options;
    if (request.recordOrder) {
      return nodes.toSorted((a, b) => {
        for (let at = 0; at < depth; at++) {
          const [x, y] = [a.values[at], b.values[at]];
          const difference = x && y && x !== y ? (levels[at]?.compare(x, y) ?? 0) : 0;
          if (difference !== 0) return difference;
        }
        return 0;
      });
    }
    const names = [...plan.groups.slice(0, depth), ...plan.measures].map(({ name }) => name);
    const keys = [...sort, ...plan.groups.slice(0, depth).map(({ name }) => name)].flatMap((element) => {
      const isNamed = names.includes(element);
      const at = names.indexOf(isNamed ? element : element.replace(/^-/, ""));
      return at < 0 ? [] : [{ at, direction: isNamed ? 1 : -1 }];
    });
    const rows = nodes.map((node) => ({
      node,
      values: [...node.values.map(({ shown }) => shown), ...node.accumulators.map((one) => one.result())],
    }));
    const compare = (a: (typeof rows)[number], b: (typeof rows)[number]): number => {
      for (const { at, direction } of keys) {
        const difference = compareValues(a.values[at], b.values[at]);
        if (difference !== 0) return difference * direction;
      }
      return 0;
    };
    return rows.toSorted(compare).map(({ node }) => node);
  }

  #measure({ accumulators }: GroupNode, row: Row): void {
    if (accumulators.length === 0 || this.#isExceeded) return;
    const { measures } = this.#options;
    for (let at = 0; at < accumulators.length; at++) {
      const measure = measures[at];
      const raw = measure?.read ? measure.read(row) : true;
      if (!measure?.isEmpty(raw)) accumulators[at]?.add(raw, row);
    }
  }

  #createNode(values: readonly GroupValue[]): GroupNode {
    const { request, levels, measures } = this.#options;
    const isShown = values.length === levels.length || (values.length === 0 ? request.totals : request.subtotals);
    return { values, children: new Map(), accumulators: isShown ? measures.map(({ create }) => create()) : [] };
  }

  #exceed(level: GroupLevel): void {
    this.#isExceeded = true;
    // Counting more would need too much memory.
    if (level.size > MAX_GROUPS) throw this.#tooManyValues(this.#options.levels.indexOf(level), null);
  }

  #tooManyValues(at: number, values: number | null): AppError {
    const column = this.#options.plan.groups[at]?.column ?? "";
    const maxValues = this.#maxValues;
    const count = (values ?? MAX_GROUPS).toLocaleString("en-US");
    return new AppError(
      "aggregate.too_many_values",
      `${column} has ${values === null ? "more than " : ""}${count} values; group by at most ${maxValues.toLocaleString("en-US")}`,
      { details: { column, values, maxValues } },
    );
  }
}

/** Returns all nodes of a depth below the nodes. */
function nodesAt(nodes: readonly GroupNode[], depth: number): GroupNode[] {
  return depth === 0
    ? [...nodes]
    : nodesAt(
        nodes.flatMap(({ children }) => [...children.values()]),
        depth - 1,
      );
}
