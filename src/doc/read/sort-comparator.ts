import type { CellValue } from "../../values/cell.ts";
import { UTC, zoneOrUtc } from "../../values/zones.ts";
import { periodDay } from "../aggregate/date-period.ts";
import { isEmptyCell } from "../filters/empty-cell.ts";
import type { ReadField } from "./read-table.ts";
import type { SortKey } from "./parse-sort.ts";
import { rangesAfter, type TextRange } from "./text-ranges.ts";

/** Values are first compared by kind. With `emptyLast` empty values have the last kinds. */
const KIND = { boolean: 0, number: 1, null: 2, list: 3, text: 4, emptyBoolean: 5, emptyNull: 6, emptyText: 7 } as const;

/** The collation of sorting, unless it is natural. */
export const plainTexts = new Intl.Collator("en-US");
const naturalTexts = new Intl.Collator("en-US", { numeric: true });

/** Compares rows by their index in the order in which they were added. */
export type RowComparator = (a: number, b: number) => number;

/** A cell in the form in which a sort key compares it. */
export interface SortValue {
  readonly kind: number;
  /** 1 for cells that sort last in both directions, if the key requires it. */
  readonly blank: 0 | 1;
  /** A boolean or number; 0 for other values. */
  readonly number: number;
  /** A text or list; null for other values. */
  readonly other: CellValue;
  /** The packed beginning of a text; undefined until it is compared. */
  prefix: number | undefined;
}

/** Returns the cell that a value was read from, for a key without options. */
export const sortedCell = ({ kind, number, other }: SortValue): CellValue =>
  kind === KIND.number ? number : kind === KIND.boolean ? number !== 0 : other;

/** Reads cells for one sort key, and compares two of them. */
export class SortKeyValues {
  readonly #field: ReadField;
  readonly #key: SortKey;
  readonly #choices: ReadonlyMap<string, string>;
  readonly #collator: Intl.Collator;
  /** True if a stored text is the value that is compared. */
  readonly #readsPlainTexts: boolean;
  /** Returns the number by which a date is compared; null to compare it by its value. */
  readonly #periodOf: ((seconds: number) => number | null) | null;
  /** Plain characters that most texts begin with. */
  #commonStart = "";

  constructor(field: ReadField, key: SortKey) {
    this.#field = field;
    this.#key = key;
    this.#collator = collatorOf(key);
    this.#choices = key.options.orderByChoice && field.type.base === "Choice" ? choiceRanks(field) : new Map();
    this.#readsPlainTexts = field.type.isStoredPlain && this.#choices.size === 0;
    this.#periodOf = periodsOf(field, key);
  }

  read(stored: StoredCell): SortValue {
    const value = this.#field.type.decodeRaw(stored);
    if (this.#key.options.grouped && isEmptyCell(this.#field.type, value)) return EMPTY;
    const kind = kindOf(value);
    return {
      kind: this.#key.options.emptyLast ? kindWithEmptyLast(kind, value) : kind,
      blank: this.#key.options.blanksLast && isBlank(value, this.#field) ? 1 : 0,
      number: typeof value === "boolean" || typeof value === "number" ? this.#numberOf(Number(value)) : 0,
      other: kind <= KIND.null ? null : typeof value === "string" ? (this.#choices.get(value) ?? value) : value,
      prefix: undefined,
    };
  }

  #numberOf(value: number): number {
    return this.#periodOf?.(value) ?? value;
  }

  /** Adapts comparisons to typical values of a table. Call before values are compared. */
  adaptTo(values: readonly SortValue[]): void {
    const texts = values.flatMap(({ other }) => (typeof other === "string" && other !== "" ? [other] : []));
    const length = drained(commonPrefix(texts, this.#usesDigits));
    this.#commonStart = texts[0]?.slice(0, length) ?? "";
  }

  /** Returns ranges of stored texts that sort after `value`: not of all of them, and of no other cells. */
  rangesAfter({ kind, blank, other }: SortValue): TextRange[] {
    const isComparable = this.#readsPlainTexts && this.#usesDigits && kind === KIND.text && blank === 0;
    if (!isComparable || typeof other !== "string" || !other.startsWith(this.#commonStart)) return [];
    return rangesAfter(other, { skipped: this.#commonStart.length, descending: this.#key.descending });
  }

  compare(a: SortValue, b: SortValue): number {
    if (a.blank !== b.blank) return a.blank - b.blank;
    return this.#key.descending ? this.#compareAscending(b, a) : this.#compareAscending(a, b);
  }

  #compareAscending(a: SortValue, b: SortValue): number {
    if (a.kind !== b.kind) return a.kind - b.kind;
    if (a.kind <= KIND.number) return compareNumbers(a.number, b.number);
    if (typeof a.other === "string" && typeof b.other === "string") {
      const p = (a.prefix ??= this.#prefixOf(a.other));
      const q = (b.prefix ??= this.#prefixOf(b.other));
      if (p !== q && p >= 0 && q >= 0) return p - q;
      return this.#collator.compare(a.other, b.other) || this.#breakTie(a.other, b.other);
    }
    return compareValues(a.other, b.other) || this.#breakTie(a.other, b.other);
  }

  #breakTie(a: CellValue, b: CellValue): number {
    return this.#key.options.grouped ? compareExactly(a, b) : 0;
  }

  get #usesDigits(): boolean {
    return !this.#key.options.naturalSort;
  }

  #prefixOf(text: string): number {
    return text.startsWith(this.#commonStart) ? packedPrefix(text, this.#commonStart.length, this.#usesDigits) : -1;
  }
}

/** All empty cells, for keys that compare as groups. */
const EMPTY: SortValue = { kind: KIND.null, blank: 1, number: 0, other: null, prefix: undefined };

function periodsOf({ type }: ReadField, { options: { period } }: SortKey): ((seconds: number) => number | null) | null {
  if (!period || (type.base !== "Date" && type.base !== "DateTime")) return null;
  return periodDay(period.unit, type.base === "Date" ? UTC : zoneOrUtc(period.timezone));
}

/** Orders texts and lists that the collation cannot distinguish. */
function compareExactly(a: CellValue, b: CellValue): number {
  const [x, y] = typeof a === "string" && typeof b === "string" ? [a, b] : [JSON.stringify(a), JSON.stringify(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Runs a generator to its end and returns its result. */
function drained<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const collatorOf = ({ options }: SortKey): Intl.Collator => (options.naturalSort ? naturalTexts : plainTexts);

/** The cells of one sort key in a form that compares fast. */
export class SortColumn {
  readonly #key: SortKey;
  readonly #values: SortKeyValues;
  readonly #kinds: number[] = [];
  /** 1 for cells that sort last in both directions; only created if the key requires it. */
  readonly #blanks: number[] | undefined;
  /** Booleans and numbers. */
  readonly #numbers: number[] = [];
  /** Texts and lists; not created while all values are numbers. */
  #otherValues: CellValue[] | undefined;
  #prefixes: Float64Array | undefined;

  constructor(field: ReadField, key: SortKey) {
    this.#key = key;
    this.#values = new SortKeyValues(field, key);
    this.#blanks = key.options.blanksLast || key.options.grouped ? [] : undefined;
  }

  add(stored: StoredCell): void {
    const { kind, blank, number, other } = this.#values.read(stored);
    this.#blanks?.push(blank);
    this.#kinds.push(kind);
    this.#numbers.push(number);
    if (other === null) return;
    this.#otherValues ??= [];
    this.#otherValues[this.#kinds.length - 1] = other;
  }

  /** Prepares the comparator in steps of a few milliseconds. Call after all rows were added. */
  *prepare(): Generator<void> {
    const others = this.#otherValues;
    if (!others) return;
    this.#prefixes = new Float64Array(this.#kinds.length).fill(-1);
    yield* packPrefixes(others, this.#prefixes, { digits: !this.#key.options.naturalSort });
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
    const { compare } = collatorOf(this.#key);
    const breakTie = this.#key.options.grouped ? compareExactly : () => 0;
    if (!this.#prefixes) drained(this.prepare());
    const prefixes = this.#prefixes ?? new Float64Array(0);
    return (a, b) => {
      const x = others[a];
      const y = others[b];
      if (typeof x === "string" && typeof y === "string") {
        const p = at(prefixes, a);
        const q = at(prefixes, b);
        return p !== q && p >= 0 && q >= 0 ? p - q : compare(x, y) || breakTie(x, y);
      }
      return compareValues(x ?? null, y ?? null) || breakTie(x ?? null, y ?? null);
    };
  }
}

/** Rows with an invalid or censored position come last: the order must not reveal the position. */
export const positionOf = (cell: StoredCell | undefined): number =>
  typeof cell === "number" ? cell : Number.MAX_VALUE;

/** Breaks ties of rows that were read by id: by position unless there are none, then by id. */
interface TieBreaker {
  readonly positions: readonly number[];
  readonly idDescending: boolean;
}

/** Chains comparators of rows by their index. */
export function rowComparator(
  comparisons: readonly RowComparator[],
  { positions, idDescending }: TieBreaker,
): RowComparator {
  const breakTie: RowComparator = (a, b) => (positions[a] ?? 0) - (positions[b] ?? 0) || (idDescending ? b - a : a - b);
  const [single] = comparisons;
  if (single && comparisons.length === 1) return (a, b) => single(a, b) || breakTie(a, b);
  return (a, b) => {
    for (const compare of comparisons) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return breakTie(a, b);
  };
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

/** How many texts are packed between two yields. */
const PACKED_PER_STEP = 32_768;

/**
 * Packs the beginnings of texts, after their common prefix, into numbers: where two numbers differ, they order the
 * texts without a call of the collator, which takes three times as long. Leaves -1 where a text has any other
 * characters there.
 */
function* packPrefixes(
  values: readonly unknown[],
  packed: Float64Array,
  { digits }: { digits: boolean },
): Generator<void> {
  const skipped = yield* commonPrefix(values, digits);
  for (let index = 0; index < values.length; index++) {
    if (index % PACKED_PER_STEP === 0) yield;
    const value = values[index];
    if (typeof value === "string") packed[index] = packedPrefix(value, skipped, digits);
  }
}

function packedPrefix(text: string, skipped: number, digits: boolean): number {
  let number = 0;
  for (let i = skipped; i < skipped + PREFIX_LENGTH; i++) {
    const weight = i < text.length ? weightAt(text, i, digits) : -1;
    if (weight === 0) return -1;
    number = number * 64 + Math.max(weight, 0);
  }
  return number;
}

function weightAt(text: string, index: number, digits: boolean): number {
  const code = text.charCodeAt(index);
  const weight = CHARACTER_WEIGHTS[code] ?? 0;
  return digits || weight < 2 || weight > 11 ? weight : 0;
}

/** Returns how many plain characters all texts have in common at the beginning. */
function* commonPrefix(values: readonly unknown[], digits: boolean): Generator<void, number> {
  let first: string | undefined;
  let length = 0;
  for (let index = 0; index < values.length; index++) {
    if (index % PACKED_PER_STEP === 0) yield;
    const value = values[index];
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
