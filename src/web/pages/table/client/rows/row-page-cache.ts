import { isAborted } from "../../../../base/client/api.ts";
import { PAGE_ROWS, type RecordJson, type RecordsPage } from "../../../../base/table-data.ts";
import type { RowSource } from "../../../../base/client/grid/grid.ts";

/** Reads rows: `offset` of them are passed over. */
export type FetchRows = (offset: number, limit: number, signal: AbortSignal) => Promise<RecordsPage>;

interface LoadedPage {
  rows: readonly RecordJson[];
  /** Of which version of the table they are. */
  version: number;
}

/** So many pages are kept: some thousands of rows. */
const MAX_PAGES = 60;
/** Requests under way at a time: more would only wait for each other. */
const MAX_CONCURRENT_REQUESTS = 2;
/** Whoever scrolls fast gets more rows with each request. */
const MAX_PAGES_PER_REQUEST = 20;
/** Whoever does not scroll for so long has come to rest. */
const SCROLL_IDLE_MS = 300;
/** How long an answer of many pages takes, until one has told. */
const DEFAULT_RESPONSE_S = 0.2;
/** Answers of fewer pages tell nothing of how long those of many take. */
const MIN_MEASURED_PAGES = 5;

/**
 * Rows of a table of any size, page by page as they come into view. What changed is read anew while what was there
 * stays in view.
 */
export class RowPageCache implements RowSource<RecordJson> {
  readonly #read: FetchRows;
  /** Told when rows have come, with how far those in view have moved, and when they could not be had. */
  readonly #onChange: (movedBy: number) => void;
  readonly #onError: (error: unknown) => void;
  readonly #pages = new Map<number, LoadedPage>();
  readonly #inFlight = new Map<number, AbortController>();
  #count: number;
  #version = 1;
  #view = { first: 0, last: 0 };
  #scroll = { at: 0, row: 0, rowsPerS: 0 };
  /** How long an answer of many pages takes, smoothed. */
  #responseS = DEFAULT_RESPONSE_S;
  #hasFailed = false;
  #waiters: (() => void)[] = [];

  constructor(
    read: FetchRows,
    {
      first,
      changed,
      failed,
    }: {
      first: RecordsPage | null;
      changed: (movedBy: number) => void;
      failed: (error: unknown) => void;
    },
  ) {
    this.#read = read;
    this.#onChange = changed;
    this.#onError = failed;
    this.#count = first?.total ?? 0;
    if (first) this.#pages.set(0, { rows: first.records, version: 1 });
    else this.#loadMissing();
  }

  get count(): number {
    return this.#count;
  }

  /** True when the first rows are there, or it is known that there are none. */
  get isLoaded(): boolean {
    return this.#pages.size > 0;
  }

  rowAt(index: number): RecordJson | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS];
  }

  /** All rows that are loaded. */
  *loaded(): Generator<RecordJson> {
    for (const { rows } of this.#pages.values()) yield* rows;
  }

  /** The place of a row among those that are loaded; -1 when it is not. */
  indexOf(id: number): number {
    for (const [page, { rows }] of this.#pages) {
      const at = rows.findIndex((row) => row.id === id);
      if (at >= 0) return page * PAGE_ROWS + at;
    }
    return -1;
  }

  /** Shows other cells of a row until it is read anew. */
  patch(id: number, fields: RecordJson["fields"]): void {
    const at = this.indexOf(id);
    const page = this.#pages.get(pageOf(Math.max(0, at)));
    if (at < 0 || !page) return;
    const change = (row: RecordJson): RecordJson => {
      const errors = Object.entries(row.errors ?? {}).filter(([column]) => !Object.hasOwn(fields, column));
      return { id, fields: { ...row.fields, ...fields }, errors: Object.fromEntries(errors) };
    };
    page.rows = page.rows.map((row) => (row.id === id ? change(row) : row));
  }

  requestRows(first: number, last: number): void {
    this.#measureSpeed(first);
    this.#view = { first, last };
    if (!this.#hasFailed) this.#loadMissing();
  }

  /** The table has changed: what is in view is read anew, the rest when it is needed. */
  refresh(): void {
    this.#version++;
    this.#hasFailed = false;
    this.#loadMissing();
  }

  /** When what is in view has come; at once where it is there. */
  async whenLoaded(): Promise<void> {
    while (this.#inFlight.size > 0 && !this.#hasFailed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiters.push(resolve);
      await promise;
    }
  }

  /** Other rows or another order are wanted: nothing that was loaded is good any more. */
  reset(): void {
    for (const work of this.#inFlight.values()) work.abort();
    this.#inFlight.clear();
    this.#pages.clear();
    this.#view = { first: 0, last: 0 };
    this.refresh();
  }

  /** How fast the person scrolls, smoothed; after a rest or a jump it is not known. */
  #measureSpeed(first: number): void {
    const now = performance.now();
    const { at, row, rowsPerS } = this.#scroll;
    const passedMs = now - at;
    if (passedMs < 8) return;
    const current = ((first - row) * 1000) / passedMs;
    const smoothed = rowsPerS === 0 ? current : rowsPerS * 0.4 + current * 0.6;
    this.#scroll = { at: now, row: first, rowsPerS: passedMs > SCROLL_IDLE_MS ? 0 : smoothed };
  }

  get #rowsPerS(): number {
    return performance.now() - this.#scroll.at > SCROLL_IDLE_MS ? 0 : this.#scroll.rowsPerS;
  }

  #loadMissing(): void {
    while (new Set(this.#inFlight.values()).size < MAX_CONCURRENT_REQUESTS) {
      const next = this.#nextRange();
      if (!next) return;
      void this.#load(next.page, next.count);
    }
  }

  /** Slower counts at once, faster by and by: what was taken for too near is passed over, and stays blank. */
  #recordResponseTime(pages: number, durationS: number): void {
    if (durationS > this.#responseS) this.#responseS = durationS;
    else if (pages >= MIN_MEASURED_PAGES) this.#responseS = this.#responseS * 0.6 + durationS * 0.4;
  }

  /** The pages to be read next: what is in view, then its neighbours. */
  #nextRange(): { page: number; count: number } | null {
    const { first, last } = this.#view;
    const passed = this.#rowsPerS * this.#responseS;
    if (Math.abs(passed) > PAGE_ROWS / 2) return this.#prefetchRange(passed);
    const wanted = [...range(pageOf(first), pageOf(last)), pageOf(last) + 1, pageOf(first) - 1];
    const page = wanted.find((at) => this.#isMissing(at));
    if (page === undefined) return null;
    return { page, count: wanted.includes(page + 1) && this.#isMissing(page + 1) ? 2 : 1 };
  }

  /**
   * For somebody who scrolls fast: what will be in view when the answer is there and until the next one comes.
   * @param passed how many rows go by until then; negative towards the first
   */
  #prefetchRange(passed: number): { page: number; count: number } | null {
    const step = Math.sign(passed);
    // Rather too near than too far: what is passed over would stay blank.
    const begin = pageOf((step > 0 ? this.#view.first : this.#view.last) + passed / 2);
    const maxPages = Math.min(MAX_PAGES_PER_REQUEST, 1 + Math.ceil((2 * Math.abs(passed)) / PAGE_ROWS));
    const ahead = Array.from({ length: 2 * maxPages }, (_, at) => begin + step * at);
    const page = ahead.find((at) => this.#isMissing(at));
    // Beyond the end, or all there: what is in view when the scrolling stops.
    if (page === undefined) return this.#missingInView();
    let count = 1;
    while (count < maxPages && this.#isMissing(page + step * count)) count++;
    return { page: step < 0 ? page - count + 1 : page, count };
  }

  #missingInView(): { page: number; count: number } | null {
    const page = range(pageOf(this.#view.first), pageOf(this.#view.last)).find((at) => this.#isMissing(at));
    return page === undefined ? null : { page, count: 1 };
  }

  #isMissing(page: number): boolean {
    const end = this.isLoaded ? pageOf(Math.max(0, this.#count - 1)) : 0;
    return page >= 0 && page <= end && !this.#inFlight.has(page) && this.#pages.get(page)?.version !== this.#version;
  }

  async #load(page: number, count: number): Promise<void> {
    const work = new AbortController();
    const pages = Array.from({ length: count }, (_, at) => page + at);
    for (const each of pages) this.#inFlight.set(each, work);
    const version = this.#version;
    const started = performance.now();
    try {
      const { records, total } = await this.#read(page * PAGE_ROWS, count * PAGE_ROWS, work.signal);
      if (work.signal.aborted) return;
      this.#recordResponseTime(count, (performance.now() - started) / 1000);
      this.#storePages(pages, { records, total, version });
    } catch (error) {
      if (isAborted(error) || work.signal.aborted) return;
      this.#hasFailed = true;
      this.#onError(error);
    } finally {
      for (const each of pages) if (this.#inFlight.get(each) === work) this.#inFlight.delete(each);
      if (!this.#hasFailed && !work.signal.aborted) this.#loadMissing();
      const waiting = this.#waiters;
      this.#waiters = [];
      for (const tell of waiting) tell();
    }
  }

  #storePages(pages: readonly number[], { records, total, version }: RecordsPage & { version: number }): void {
    const anchor = this.rowAt(this.#view.first)?.id;
    const before = this.#view.first;
    this.#count = total;
    pages.forEach((page, at) => {
      const rows = records.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS);
      if (rows.length > 0 || page === 0) this.#pages.set(page, { rows, version });
      else this.#pages.delete(page);
    });
    for (const page of this.#pages.keys()) if (page * PAGE_ROWS >= Math.max(1, total)) this.#pages.delete(page);
    this.#evictDistant();
    // Rows that came in or went above those in view do not move them.
    const now =
      anchor === undefined || before === 0 || !pages.includes(pageOf(before)) ? -1 : this.#indexNear(anchor, pages);
    const movedBy = now < 0 ? 0 : now - before;
    this.#view = { first: this.#view.first + movedBy, last: this.#view.last + movedBy };
    this.#onChange(movedBy);
  }

  #indexNear(id: number, pages: readonly number[]): number {
    for (const page of pages) {
      const at = this.#pages.get(page)?.rows.findIndex((row) => row.id === id) ?? -1;
      if (at >= 0) return page * PAGE_ROWS + at;
    }
    return -1;
  }

  #evictDistant(): void {
    if (this.#pages.size <= MAX_PAGES) return;
    const here = pageOf(this.#view.first);
    const byDistance = [...this.#pages.keys()].toSorted((a, b) => Math.abs(b - here) - Math.abs(a - here));
    for (const page of byDistance.slice(0, this.#pages.size - MAX_PAGES)) this.#pages.delete(page);
  }
}

const pageOf = (row: number): number => Math.floor(row / PAGE_ROWS);

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
