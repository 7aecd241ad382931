import type { CellValue } from "../../../src/values/cell.ts";
import type { Random } from "../../helpers/random.ts";
import type { SampleTable } from "../read/sample.ts";
import type { WrittenRules } from "../rules/ruled.ts";
import { type NaiveTables, type Row, WINDOWS } from "./naive-evaluator.ts";

/** Random tables, and random filters of them. */

const TYPES = {
  People: {
    Name: "Text",
    City: "Text",
    Pay: "Numeric",
    Born: "Date",
    Boss: "Ref:People",
    Locked: "Bool",
    Shy: "Bool",
  },
  Items: {
    Title: "Text",
    N: "Numeric",
    I: "Int",
    B: "Bool",
    D: "Date",
    W: "DateTime:Asia/Tokyo",
    Tags: "ChoiceList",
    Any: "Any",
    Link: "Ref:People",
    Links: "RefList:People",
    Hide: "Bool",
    Private: "Bool",
  },
} as const;

/** Cells of items that viewers do not see in private rows. */
const CENSORED: ReadonlySet<string> = new Set(["Title", "N", "Link", "Links"]);
/** Cells of people that viewers do not see of shy ones. */
const SHY: ReadonlySet<string> = new Set(["City", "Boss"]);

export const RULES: WrittenRules = {
  "Items:Title,N,Link,Links": [{ formula: "user.Access != OWNER and rec.Private", permissions: "-R" }],
  "People:City,Boss": [{ formula: "user.Access != OWNER and rec.Shy", permissions: "-R" }],
  "Items:*": [{ formula: "user.Access != OWNER and rec.Hide", permissions: "-R" }],
  "People:*": [{ formula: "user.Access != OWNER and rec.Locked", permissions: "-R" }],
};

const TEXTS = ["a", "B", "b", "ab", "Ab c", "c%", "é", "x_1", "10", "", "Größe"];
const NUMBERS = [0, 1, 2, 3, 2.5, -1, 1e9, -0];
const DAYS = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02", "2025-12-31"];
const midnight = (day: string): number => Date.parse(`${day}Z`) / 1000;
const ERROR: CellValue = ["E", "ValueError"];
const TAGS = ["red", "blue", "redder", "a b"];

/** Returns rows of both tables. */
export function randomRows(random: Random): Record<"People" | "Items", Row[]> {
  const stray = (cell: CellValue): CellValue =>
    random.oneIn(8) ? random.pick<CellValue>([null, "stray", ERROR]) : cell;
  const text = () => random.pick(TEXTS);
  const person = () => random.pick([0, 1, 2, 3, 4, 5, 99]);
  const list = (items: readonly CellValue[]): CellValue => {
    const some = random.some(items, 3);
    return some.length === 0 ? null : ["L", ...some];
  };
  const flag = () => random.oneIn(4);
  const people = Array.from({ length: 5 }, (_, at): Row => ({
    id: at + 1,
    Name: stray(text()),
    City: stray(text()),
    Pay: stray(random.pick(NUMBERS)),
    Born: stray(midnight(random.pick(DAYS))),
    Boss: stray(person()),
    Locked: flag(),
    Shy: flag(),
  }));
  const items = Array.from({ length: 14 }, (_, at): Row => ({
    id: at + 1,
    Title: stray(text()),
    N: stray(random.pick(NUMBERS)),
    I: stray(random.pick([0, 1, 2, 3])),
    B: stray(flag()),
    D: stray(midnight(random.pick(DAYS))),
    W: stray(midnight(random.pick(DAYS)) + random.pick([0, 17_999, 18_000, 50_000])),
    Tags: stray(list(TAGS)),
    Any: stray(random.pick<CellValue>([text(), random.pick(NUMBERS), true, false, list(["red", 1])])),
    Link: stray(person()),
    Links: stray(list([1, 2, 3, 4, 5, 99])),
    Hide: flag(),
    Private: flag(),
  }));
  return { People: people, Items: items };
}

export const sampleTables = (rows: Record<"People" | "Items", Row[]>): SampleTable[] =>
  (["People", "Items"] as const).map((id) => ({ id, columns: TYPES[id], rows: rows[id] }));

/** Returns the tables as an owner or a viewer sees them. */
export function naiveTables(rows: Record<"People" | "Items", Row[]>, isOwner: boolean): NaiveTables {
  return {
    People: {
      types: TYPES.People,
      rows: rows.People,
      shown: null,
      isVisible: ({ Locked }) => isOwner || Locked !== true,
      isCensored: ({ Shy }, column) => !isOwner && Shy === true && SHY.has(column),
    },
    Items: {
      types: TYPES.Items,
      rows: rows.Items,
      shown: null,
      isVisible: ({ Hide }) => isOwner || Hide !== true,
      isCensored: ({ Private }, column) => !isOwner && Private === true && CENSORED.has(column),
    },
  };
}

/** Makes random filters of `Items`. */
export class FilterMaker {
  readonly #random: Random;
  #conditions = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  filter(): object {
    this.#conditions = 0;
    return this.#group(3);
  }

  #group(depth: number): object {
    const random = this.#random;
    const parts = () => Array.from({ length: 1 + random.below(3) }, () => this.#group(depth - 1));
    const kind = depth > 0 && this.#conditions < 8 ? random.below(6) : 5;
    if (kind === 0) return { and: parts() };
    if (kind === 1) return { or: parts() };
    if (kind === 2) return { not: this.#group(depth - 1) };
    const columns = Array.from({ length: 1 + random.below(2) }, () => this.#column());
    return Object.fromEntries(columns);
  }

  #column(): [path: string, condition: object] {
    this.#conditions++;
    const random = this.#random;
    const own = random.pick(Object.keys(TYPES.Items)) as keyof typeof TYPES.Items;
    if (random.oneIn(12)) return ["id", this.#comparisons("Int")];
    if ((own !== "Link" && own !== "Links") || random.oneIn(3)) return [own, this.#condition(TYPES.Items[own])];
    const steps: string[] = [own];
    while (steps.length < 3 && random.oneIn(3)) steps.push("Boss");
    const last = random.pick(Object.keys(TYPES.People)) as keyof typeof TYPES.People;
    return [[...steps, last].join("."), this.#condition(TYPES.People[last])];
  }

  #condition(type: string): object {
    const random = this.#random;
    if (!random.oneIn(4)) return this.#comparisons(type);
    return random.some<unknown>([null, "", "a", "stray", 0, 1, true, 2.5, [1], [1, 2], midnight("2026-03-01")], 3);
  }

  #comparisons(type: string): object {
    const random = this.#random;
    const base = type.split(":")[0] ?? "";
    const operators = OPERATORS[base] ?? [];
    const names = [random.pick(operators), ...random.some(operators, 12)];
    return Object.fromEntries(names.map((operator) => [operator, this.#operand(base, operator)]));
  }

  #operand(base: string, operator: string): unknown {
    const random = this.#random;
    if (operator === "empty") return random.oneIn(2);
    if (operator === "within") return random.pick(Object.keys(WINDOWS));
    if (operator === "matches") return random.pick(["^a", "b$", "[ab]+", "a.c|é", "\\d"]);
    if (["contains", "startsWith", "endsWith"].includes(operator))
      return random.pick(["A", "b", "É", "%", "_", "ö", "ab"]);
    const isList = ["in", "nin", "hasAny", "hasAll"].includes(operator);
    const one = () => this.#value(base, operator);
    return isList ? Array.from({ length: 1 + random.below(3) }, one) : one();
  }

  #value(base: string, operator: string): unknown {
    const random = this.#random;
    const text = () => random.pick(TEXTS.filter((one) => one !== ""));
    const wantsList = ["eq", "ne", "in", "nin"].includes(operator);
    const items = (one: () => unknown) => (wantsList ? Array.from({ length: 1 + random.below(2) }, one) : one());
    switch (base) {
      case "Text":
        return text();
      case "Bool":
        return random.oneIn(2);
      case "Date":
      case "DateTime":
        return random.oneIn(4) ? midnight(random.pick(DAYS)) : random.pick(DAYS);
      case "Ref":
        return 1 + random.below(5);
      case "RefList":
        return items(() => 1 + random.below(5));
      case "ChoiceList":
        return items(() => random.pick(TAGS));
      case "Any":
        return random.pick<unknown>([
          text(),
          random.pick(NUMBERS),
          ["gt", "gte", "lt", "lte"].includes(operator) ? 1 : true,
        ]);
      default:
        return random.pick(NUMBERS);
    }
  }
}

const EQUALITY = ["eq", "ne", "in", "nin", "empty"];
const ORDER = ["gt", "gte", "lt", "lte"];
const TEXT = ["contains", "startsWith", "endsWith", "matches"];
const LIST = ["has", "hasAny", "hasAll"];
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  Text: [...EQUALITY, ...ORDER, ...TEXT],
  Numeric: [...EQUALITY, ...ORDER],
  Int: [...EQUALITY, ...ORDER],
  Bool: EQUALITY,
  Date: [...EQUALITY, ...ORDER, "within"],
  DateTime: [...EQUALITY, ...ORDER, "within"],
  ChoiceList: [...EQUALITY, ...LIST],
  RefList: [...EQUALITY, ...LIST],
  Ref: [...EQUALITY, ...ORDER],
  Any: [...EQUALITY, ...ORDER, ...TEXT, ...LIST],
};
