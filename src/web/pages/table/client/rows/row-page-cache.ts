import { isAborted } from "../../../../base/client/api.ts";
import { PAGE_ROWS, type RecordJson, type RecordsPage } from "../../../../base/table-data.ts";
import type { RowSource } from "../../../../base/client/grid/grid.ts";
import type { RowGeometry } from "../../../../base/client/grid/row-geometry.ts";
import { PendingChanges } from "./pending-changes.ts";

/** Reads rows from `offset` on. */
export type FetchRows = (offset: number, limit: number, signal: AbortSignal) => Promise<RecordsPage>;

interface LoadedPage {
  readonly records: readonly RecordJson[];
  /** The records with the values that are being saved. */
  rows: readonly RecordJson[];
  /** The version of the table that the rows belong to. */
  version: number;
}

/** A change that is shown while it is saved. */
export interface SavingChange<Stored> {
  /** It is stored; later loads contain it. */
  finish(stored: Stored): void;
  /** It was not saved: shows it no longer. */
  revert(): void;
}

export interface RowPageCacheOptions {
  readonly first: RecordsPage | null;
  /** Where rows are that are in groups, as far as that is known; rows are shown when it is. Null without groups. */
  readonly geometry: () => RowGeometry | "pending" | null;
  /** Called before rows change. */
  readonly changing: () => void;
  /** Called when rows have changed, with the offset of those in view. */
  readonly changed: (movedBy: number) => void;
  readonly loaded: () => void;
  readonly failed: (error: unknown) => void;
}

/** Maximum number of cached pages: some thousands of rows. */
const MAX_PAGES = 60;
/** Maximum number of concurrent requests: more would only queue. */
const MAX_CONCURRENT_REQUESTS = 2;
/** Fast scrolling loads more rows per request. */
const MAX_PAGES_PER_REQUEST = 20;
/** Scrolling counts as stopped after this time. */
const SCROLL_IDLE_MS = 300;
/** Initial estimate of the response time for many pages. */
const DEFAULT_RESPONSE_S = 0.2;
/** Smaller responses say nothing about the response time for many pages. */
const MIN_MEASURED_PAGES = 5;

/**
 * A cache of row pages for a table of any size, loaded as they come into view. After changes, stale rows stay in view
 * until they are reloaded.
 */
export class RowPageCache implements RowSource<RecordJson> {
  readonly #read: FetchRows;
  readonly #options: RowPageCacheOptions;
  readonly #pages = new Map<number, LoadedPage>();
  readonly #inFlight = new Map<number, AbortController>();
  #count: number;
  #geometry: RowGeometry | null = null;
  #version = 1;
  #view = { first: 0, last: 0 };
  #scroll = { at: 0, row: 0, rowsPerS: 0 };
  /** Smoothed response time for many pages. */
  #responseS = DEFAULT_RESPONSE_S;
  #hasFailed = false;
  #waiters: (() => void)[] = [];
  readonly #pending = new PendingChanges();

  constructor(read: FetchRows, options: RowPageCacheOptions) {
    const { first } = options;
    this.#read = read;
    this.#options = options;
    this.#count = first?.total ?? 0;
    if (first) this.#pages.set(0, { records: first.records, rows: first.records, version: 1 });
    else this.#loadMissing();
  }

  /** Without rows of folded groups. */
  get count(): number {
    if (this.#geometry) return this.#geometry.rowCount;
    return this.#options.geometry() === "pending" ? 0 : this.totalCount;
  }

  /** Number of all rows that the filter selects. */
  get totalCount(): number {
    return this.#count + this.#pending.uncountedCount;
  }

  get geometry(): RowGeometry | null {
    return this.#geometry;
  }

  /** Groups were folded or unfolded, or their rows were counted again while none is being loaded. */
  geometryChanged(): void {
    this.#options.changing();
    this.#updateGeometry();
    this.#options.changed(0);
  }

  #updateGeometry(): void {
    const geometry = this.#options.geometry();
    this.#geometry = geometry === "pending" ? null : geometry;
    this.#count = this.#geometry?.totalCount ?? this.#count;
  }

  /** True when the first rows are loaded, or the table is known to be empty. */
  get isLoaded(): boolean {
    return this.#pages.size > 0 || this.#geometry !== null;
  }

  /** True while rows are being loaded. */
  get isLoading(): boolean {
    return this.#inFlight.size > 0;
  }

  rowAt(index: number): RecordJson | undefined {
    const offset = this.#offsetOf(index);
    const loaded = this.#pages.get(pageOf(offset))?.rows[offset % PAGE_ROWS];
    if (this.#geometry) return loaded;
    return loaded ?? this.#pending.addedAt(index - this.count + this.#pending.addedCount);
  }

  /** The position of a row among all that the filter selects. */
  #offsetOf(row: number): number {
    return this.#geometry ? this.#geometry.offsetOf(row) : row;
  }

  #rowAtOffset(offset: number): number {
    return this.#geometry && offset >= 0 ? this.#geometry.rowAtOffset(offset) : offset;
  }

  /** All loaded rows. */
  *loaded(): Generator<RecordJson> {
    for (const { rows } of this.#pages.values()) yield* rows;
  }

  /** The position of a row among the loaded ones and those being added; -1 when it is not loaded. */
  indexOf(id: number): number {
    const loaded = this.#rowAtOffset(this.#indexOfLoaded(this.idOf(id)));
    const added = this.#pending.indexOfAdded(this.idOf(id));
    return loaded >= 0 || added < 0 ? loaded : this.count - this.#pending.addedCount + added;
  }

  /** Returns the id under which a row is stored; a row that is being added has a temporary id until then. */
  idOf(id: number): number {
    return this.#pending.idOf(id);
  }

  /** Shows other cell values of a row, until they are stored and loaded. */
  patch(id: number, fields: RecordJson["fields"]): SavingChange<void> {
    const write = this.#pending.addWrite(id, fields);
    this.#showWrites(id);
    return {
      finish: () => {
        write.storedVersion = this.#version;
      },
      revert: () => {
        this.#pending.removeWrite(write);
        this.#showWrites(id);
      },
    };
  }

  /** Shows a new row at the end, until it is stored and loaded. */
  addRow(): SavingChange<number> & { readonly id: number } {
    const id = this.#pending.addRow();
    this.#options.changed(0);
    return {
      id,
      finish: (storedId) => {
        this.#options.changing();
        this.#pending.setStored(id, storedId, this.#version);
        // Rows loaded before the response may contain it.
        if (this.#indexOfLoaded(storedId) >= 0) this.#pending.removeAdded((each) => each === storedId);
        this.#options.changed(0);
      },
      revert: () => {
        this.#options.changing();
        this.#pending.removeAdded((each) => each === id);
        this.#options.changed(0);
      },
    };
  }

  #indexOfLoaded(id: number): number {
    // Stale pages may still contain rows that have moved to another one.
    const pages = [...this.#pages].toSorted(([, a], [, b]) => b.version - a.version);
    for (const [page, { rows }] of pages) {
      const at = rows.findIndex((row) => row.id === id);
      if (at >= 0) return page * PAGE_ROWS + at;
    }
    return -1;
  }

  #showWrites(id: number): void {
    const at = this.#indexOfLoaded(this.idOf(id));
    const page = this.#pages.get(pageOf(at));
    if (!page) return;
    page.rows = page.rows.map((row, index) => {
      const record = page.records[index];
      return index === at % PAGE_ROWS && record ? this.#pending.withWrites(record) : row;
    });
  }

  requestRows(first: number, last: number): void {
    this.#measureSpeed(first);
    this.#view = { first, last };
    if (!this.#hasFailed) this.#loadMissing();
  }

  /** Marks all rows as stale: those in view are reloaded now, the others on demand. */
  refresh(): void {
    this.#version++;
    this.#hasFailed = false;
    this.#loadMissing();
  }

  /** Resolves when the rows in view are loaded. */
  async whenLoaded(): Promise<void> {
    while (this.#inFlight.size > 0 && !this.#hasFailed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiters.push(resolve);
      await promise;
    }
  }

  /** Drops all rows, because filter or order has changed. */
  reset(): void {
    for (const work of this.#inFlight.values()) work.abort();
    this.#inFlight.clear();
    this.#pages.clear();
    this.#view = { first: 0, last: 0 };
    this.#geometry = null;
    this.refresh();
  }

  /** Smoothed scrolling speed; unknown after a pause or a jump. */
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

  /**
   * Slowing down takes effect immediately, accelerating gradually: rows predicted too near are scrolled past and stay
   * blank.
   */
  #recordResponseTime(pages: number, durationS: number): void {
    if (durationS > this.#responseS) this.#responseS = durationS;
    else if (pages >= MIN_MEASURED_PAGES) this.#responseS = this.#responseS * 0.6 + durationS * 0.4;
  }

  /** Returns the pages to load next: those in view, then their neighbours. */
  #nextRange(): { page: number; count: number } | null {
    const { first, last } = this.#view;
    // Positions of rows are predicted only where none is folded.
    const isWhole = this.#geometry === null || this.#geometry.rowCount === this.#count;
    const passed = isWhole ? this.#rowsPerS * this.#responseS : 0;
    if (Math.abs(passed) > PAGE_ROWS / 2) return this.#prefetchRange(passed);
    const shown = this.#pagesOf(first, last);
    const wanted = isWhole ? [...shown, pageOf(last) + 1, pageOf(first) - 1] : shown;
    const page = wanted.find((at) => this.#isMissing(at));
    if (page === undefined) return null;
    return { page, count: wanted.includes(page + 1) && this.#isMissing(page + 1) ? 2 : 1 };
  }

  /**
   * For fast scrolling: predicts the pages in view from the arrival of the response to that of the next one.
   * @param passed number of rows scrolled until then; negative towards the first
   */
  #prefetchRange(passed: number): { page: number; count: number } | null {
    const step = Math.sign(passed);
    // Prefers too near over too far: rows scrolled past would stay blank.
    const begin = pageOf((step > 0 ? this.#view.first : this.#view.last) + passed / 2);
    const maxPages = Math.min(MAX_PAGES_PER_REQUEST, 1 + Math.ceil((2 * Math.abs(passed)) / PAGE_ROWS));
    const ahead = Array.from({ length: 2 * maxPages }, (_, at) => begin + step * at);
    const page = ahead.find((at) => this.#isMissing(at));
    // Beyond the end, or all loaded: loads the rows in view when scrolling stops.
    if (page === undefined) return this.#missingInView();
    let count = 1;
    while (count < maxPages && this.#isMissing(page + step * count)) count++;
    return { page: step < 0 ? page - count + 1 : page, count };
  }

  /** The pages that contain rows; those of folded groups between them are not among them. */
  #pagesOf(first: number, last: number): number[] {
    if (this.count === 0) return this.#geometry ? [] : [0];
    return [...new Set(range(first, last).map((row) => pageOf(this.#offsetOf(row))))];
  }

  #missingInView(): { page: number; count: number } | null {
    const page = this.#pagesOf(this.#view.first, this.#view.last).find((at) => this.#isMissing(at));
    return page === undefined ? null : { page, count: 1 };
  }

  #isMissing(page: number): boolean {
    const end = this.isLoaded ? pageOf(Math.max(0, this.totalCount - 1)) : 0;
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
      this.#options.failed(error);
    } finally {
      for (const each of pages) if (this.#inFlight.get(each) === work) this.#inFlight.delete(each);
      if (!this.#hasFailed && !work.signal.aborted) this.#loadMissing();
      const waiting = this.#waiters;
      this.#waiters = [];
      for (const notify of waiting) notify();
    }
  }

  #storePages(pages: readonly number[], { records, total, version }: RecordsPage & { version: number }): void {
    this.#options.loaded();
    this.#options.changing();
    const anchor = this.rowAt(this.#view.first)?.id;
    const before = this.#view.first;
    const pageBefore = pageOf(this.#offsetOf(before));
    this.#count = total;
    this.#updateGeometry();
    this.#pending.handleLoaded(records, version);
    pages.forEach((page, at) => {
      const inPage = records.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS);
      const rows = inPage.map((row) => this.#pending.withWrites(row));
      if (rows.length > 0 || page === 0) this.#pages.set(page, { records: inPage, rows, version });
      else this.#pages.delete(page);
    });
    for (const page of this.#pages.keys()) if (page * PAGE_ROWS >= Math.max(1, total)) this.#pages.delete(page);
    this.#dropLoadedRows();
    this.#evictDistant();
    // Rows inserted or deleted above those in view do not move them.
    const now =
      anchor === undefined || before === 0 || !pages.includes(pageBefore) ? -1 : this.#indexNear(anchor, pages);
    const movedBy = now < 0 ? 0 : now - before;
    this.#view = { first: this.#view.first + movedBy, last: this.#view.last + movedBy };
    this.#options.changed(movedBy);
  }

  /** An added row remains shown until the page that contains it is loaded. */
  #dropLoadedRows(): void {
    const end = pageOf(this.#count - 1);
    const isEndLoaded = [end - 1, end].every((page) => page < 0 || this.#pages.get(page)?.version === this.#version);
    const counted = new Set(this.#pending.countedIds);
    this.#pending.removeAdded((id) => counted.has(id) && (isEndLoaded || this.#indexOfLoaded(id) >= 0));
  }

  #indexNear(id: number, pages: readonly number[]): number {
    for (const page of pages) {
      const at = this.#pages.get(page)?.rows.findIndex((row) => row.id === id) ?? -1;
      if (at >= 0) return this.#rowAtOffset(page * PAGE_ROWS + at);
    }
    return -1;
  }

  #evictDistant(): void {
    if (this.#pages.size <= MAX_PAGES) return;
    const here = pageOf(this.#offsetOf(this.#view.first));
    const byDistance = [...this.#pages.keys()].toSorted((a, b) => Math.abs(b - here) - Math.abs(a - here));
    for (const page of byDistance.slice(0, this.#pages.size - MAX_PAGES)) this.#pages.delete(page);
  }
}

const pageOf = (row: number): number => Math.floor(row / PAGE_ROWS);

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
