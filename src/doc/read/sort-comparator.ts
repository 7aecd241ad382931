import type { CellValue } from "../../values/cell.ts";
import type { ReadField } from "./read-table.ts";
import type { SortKey } from "./parse-sort.ts";

/** Values are first compared by kind. With `emptyLast` empty values have the last kinds. */
const KIND = { boolean: 0, number: 1, null: 2, list: 3, text: 4, emptyBoolean: 5, emptyNull: 6, emptyText: 7 } as const;

const plainTexts = new Intl.Collator("en-US");
const naturalTexts = new Intl.Collator("en-US", { numeric: true });

/** Compares rows by their index in the order in which they were added. */
export type RowComparator = (a: number, b: number) => number;

/** The cells of one sort key in a form that compares fast. */
export class SortColumn {
  readonly #field: ReadField;
  readonly #key: SortKey;
  readonly #choices: ReadonlyMap<string, string>;
  readonly #kinds: number[] = [];
  /** 1 for cells that sort last in both directions; only created if the key requires it. */
  readonly #blanks: number[] | undefined;
  /** Booleans and numbers. */
  readonly #numbers: number[] = [];
  /** Texts and lists; not created while all values are numbers. */
  #otherValues: CellValue[] | undefined;

  constructor(field: ReadField, key: SortKey) {
    this.#field = field;
    this.#key = key;
    this.#blanks = key.options.blanksLast ? [] : undefined;
    this.#choices = key.options.orderByChoice && field.type.base === "Choice" ? choiceRanks(field) : new Map();
  }

  add(stored: StoredCell): void {
    const value = this.#field.type.decodeRaw(stored);
    const kind = kindOf(value);
    this.#blanks?.push(Number(isBlank(value, this.#field)));
    this.#kinds.push(this.#key.options.emptyLast ? kindWithEmptyLast(kind, value) : kind);
    this.#numbers.push(typeof value === "boolean" || typeof value === "number" ? Number(value) : 0);
    if (kind <= KIND.null) return;
    this.#otherValues ??= [];
    this.#otherValues[this.#kinds.length - 1] = typeof value === "string" ? (this.#choices.get(value) ?? value) : value;
  }

  /** Returns the comparator. Call after all rows were added. */
  comparison(): RowComparator {
    const kinds = this.#kinds;
    const numbers = this.#numbers;
    const compareOthers = this.#otherComparator();
    const compare: RowComparator = (a, b) => {
      const kind = at(kinds, a);
      const difference = kind - at(kinds, b);
      if (difference !== 0) return difference;
      return kind <= KIND.number ? compareNumbers(at(numbers, a), at(numbers, b)) : compareOthers(a, b);
    };
    const directed: RowComparator = this.#key.descending ? (a, b) => compare(b, a) : compare;
    const blanks = this.#blanks;
    return blanks ? (a, b) => at(blanks, a) - at(blanks, b) || directed(a, b) : directed;
  }

  #otherComparator(): RowComparator {
    const others = this.#otherValues;
    if (!others) return () => 0;
    const { naturalSort } = this.#key.options;
    const { compare } = naturalSort ? naturalTexts : plainTexts;
    const prefixes = packedPrefixes(others, this.#kinds.length, { digits: !naturalSort });
    return (a, b) => {
      const x = others[a];
      const y = others[b];
      if (typeof x === "string" && typeof y === "string") {
        const p = at(prefixes, a);
        const q = at(prefixes, b);
        return p !== q && p >= 0 && q >= 0 ? p - q : compare(x, y);
      }
      return compareValues(x ?? null, y ?? null);
    };
  }
}

type StoredCell = Parameters<ReadField["type"]["decodeRaw"]>[0];

const at = (list: { readonly [index: number]: number }, index: number): number => list[index] ?? 0;

/** Compares two values without options: first by kind, lists element by element. */
export function compareValues(a: unknown, b: unknown): number {
  const kind = kindOf(a);
  const difference = kind - kindOf(b);
  if (difference !== 0) return difference;
  if (typeof a === "string" && typeof b === "string") return plainTexts.compare(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  // Mappings have no natural order; comparing their JSON is at least deterministic.
  if (kind === KIND.list) return plainTexts.compare(JSON.stringify(a), JSON.stringify(b));
  return compareNumbers(Number(a), Number(b));
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = compareValues(a[i], b[i]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** NaN sorts last, which makes the order total. */
function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

function kindOf(value: unknown): number {
  if (typeof value === "number") return KIND.number;
  if (typeof value === "string") return KIND.text;
  if (typeof value === "boolean") return KIND.boolean;
  return value === null || value === undefined ? KIND.null : KIND.list;
}

const isBlank = (value: CellValue, { type }: ReadField): boolean =>
  value === null || value === "" || (value === 0 && type.base === "Ref");

function kindWithEmptyLast(kind: number, value: CellValue): number {
  if (value === false) return KIND.emptyBoolean;
  if (value === null) return KIND.emptyNull;
  return value === "" ? KIND.emptyText : kind;
}

/** Maps each listed choice to its sort key: its index in five digits, which sorts before letters. */
function choiceRanks({ widgetOptions }: ReadField): Map<string, string> {
  let choices: unknown;
  try {
    choices = (JSON.parse(widgetOptions) as { choices?: unknown } | null)?.choices;
  } catch {
    // Options that are not JSON list no choices.
  }
  if (!Array.isArray(choices)) return new Map();
  const ranks = new Map<string, string>();
  for (const [rank, choice] of choices.entries()) {
    if (typeof choice === "string" && !ranks.has(choice)) ranks.set(choice, String(rank).padStart(5, "0"));
  }
  return ranks;
}

/** The collation weights of the plainest characters: space, digits, letters of either case. 0 for all others. */
const CHARACTER_WEIGHTS = new Uint8Array(128);
CHARACTER_WEIGHTS[0x20] = 1;
for (let digit = 0; digit < 10; digit++) CHARACTER_WEIGHTS[0x30 + digit] = 2 + digit;
for (let letter = 0; letter < 26; letter++) {
  CHARACTER_WEIGHTS[0x41 + letter] = 12 + letter;
  CHARACTER_WEIGHTS[0x61 + letter] = 12 + letter;
}
/** How many 6-bit characters fit into a number. */
const PREFIX_LENGTH = 8;

/**
 * Packs the beginnings of texts, after their common prefix, into numbers: where two numbers differ, they order the
 * texts without a call of the collator, which takes three times as long. -1 where a text has any other characters
 * there.
 */
function packedPrefixes(values: readonly unknown[], length: number, { digits }: { digits: boolean }): Float64Array {
  const packed = new Float64Array(length).fill(-1);
  const skipped = commonPrefix(values, digits);
  values.forEach((value, index) => {
    if (typeof value !== "string") return;
    let number = 0;
    for (let i = skipped; i < skipped + PREFIX_LENGTH; i++) {
      const weight = i < value.length ? weightAt(value, i, digits) : -1;
      if (weight === 0) return;
      number = number * 64 + Math.max(weight, 0);
    }
    packed[index] = number;
  });
  return packed;
}

function weightAt(text: string, index: number, digits: boolean): number {
  const code = text.charCodeAt(index);
  const weight = CHARACTER_WEIGHTS[code] ?? 0;
  return digits || weight < 2 || weight > 11 ? weight : 0;
}

/** Returns how many plain characters all texts have in common at the beginning. */
function commonPrefix(values: readonly unknown[], digits: boolean): number {
  let first: string | undefined;
  let length = 0;
  for (const value of values) {
    if (typeof value !== "string") continue;
    if (first === undefined) {
      first = value;
      while (length < value.length && weightAt(value, length, digits) > 0) length++;
      continue;
    }
    let same = 0;
    while (same < length && value.charCodeAt(same) === first.charCodeAt(same)) same++;
    length = same;
    if (length === 0) break;
  }
  return length;
}
