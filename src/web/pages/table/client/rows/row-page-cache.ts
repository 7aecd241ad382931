import { isAborted } from "../../../../base/client/api.ts";
import { PAGE_ROWS, type RecordJson, type RecordsPage } from "../../../../base/table-data.ts";
import type { RowSource } from "../../../../base/client/grid/grid.ts";
import type { RowGeometry } from "../../../../base/client/grid/row-geometry.ts";
import type { HeldRow } from "./held-row.ts";
import { PendingChanges } from "./pending-changes.ts";
import { nextPages, pageOf, type PageRange } from "./next-pages.ts";
import type { FetchRows, LoadedPage, RowPageCacheOptions, SavingChange } from "./row-pages.ts";
import { ScrollSpeed } from "./scroll-speed.ts";

/** Maximum number of cached pages: some thousands of rows. */
const MAX_PAGES = 60;
/** Maximum number of concurrent requests: more would only queue. */
const MAX_CONCURRENT_REQUESTS = 2;

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
  #view = { first: 0, last: 0, activeRow: 0 };
  readonly #speed = new ScrollSpeed();
  #hasFailed = false;
  #waiters: (() => void)[] = [];
  readonly #pending = new PendingChanges();
  #held: HeldRow | null = null;
  /** A released row is held until the other rows are read with it. */
  #isReleased = false;
  /** Whether the number of rows includes the held one. */
  #countsHeld = true;

  constructor(read: FetchRows, options: RowPageCacheOptions) {
    const { first } = options;
    this.#read = read;
    this.#options = options;
    this.#count = first?.total ?? 0;
    if (first) this.#pages.set(0, { records: first.records, rows: first.records, version: 1, held: null });
    else this.#loadMissing();
  }

  /** Without rows of folded groups. */
  get count(): number {
    if (this.#geometry) return this.#geometry.rowCount + this.#pending.uncountedCount;
    return this.#options.geometry() === "pending" ? 0 : this.totalCount;
  }

  /** Number of all rows that the filter selects. */
  get totalCount(): number {
    const isMissing = this.#held !== null && !this.#held.isNew && !this.#countsHeld;
    return this.#count + (isMissing ? 1 : 0) + this.#pending.uncountedCount;
  }

  /** Rows that are read with this version contain all changes until now. */
  get version(): number {
    return this.#version;
  }

  /** The row without which all others are read; null for none. */
  get held(): HeldRow | null {
    return this.#isReleased ? null : this.#held;
  }

  /** Shows a row at its place until it is released. All others are read without it from now on. */
  hold(held: HeldRow): void {
    this.#held = held;
    this.#isReleased = false;
    this.#countsHeld = true;
    if (held.isNew) this.#pending.setHeld(held.id, true);
  }

  /** The rows have to be read again, after which the held one is where the view places it. */
  release(): void {
    this.#isReleased = this.#held !== null;
  }

  /** Shows the record of the held row, as it was read with a version. */
  updateHeld(record: RecordJson, version: number): void {
    if (!this.#held) return;
    this.#options.changing();
    this.#pending.handleLoaded([record], version);
    this.#held.record = record;
    this.#pending.setRecord(record);
    this.#showWrites(record.id);
    this.#options.changed(0);
  }

  #endHold(): void {
    const { id, isNew } = this.#held ?? { id: 0, isNew: false };
    this.#held = null;
    this.#isReleased = false;
    if (!isNew) return;
    this.#pending.setHeld(id, false);
    this.#pending.removeAdded((each) => each === this.idOf(id) && each > 0);
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
    if (!this.#geometry) return;
    this.#count = this.#geometry.totalCount;
    this.#countsHeld = true;
    this.#held?.follow(this.#geometry);
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
    if (index >= this.count) return undefined;
    const position = this.#positionOf(index);
    if (this.#held?.position === position) return this.#held.shown;
    return this.#loadedAt(position) ?? this.#pending.addedAt(index - this.count + this.#pending.addedCount);
  }

  #loadedAt(position: number): RecordJson | undefined {
    const offset = this.#held?.offsetOf(position) ?? position;
    const page = this.#pages.get(pageOf(offset));
    if (page?.held === this.#held) return page.rows[offset % PAGE_ROWS];
    // It was read before the row was held, or released.
    const former = this.#pages.get(pageOf(position));
    return former?.held === this.#held ? undefined : former?.rows[position % PAGE_ROWS];
  }

  /** The position of a row among all of the view, with those of folded groups. */
  #positionOf(row: number): number {
    return this.#geometry ? this.#geometry.offsetOf(row) : row;
  }

  /** The position of a row among the read rows, which do not include a held one. */
  offsetOf(row: number): number {
    const position = this.#positionOf(row);
    return this.#held?.offsetOf(position) ?? position;
  }

  #rowAtPosition(position: number): number {
    return this.#geometry && position >= 0 ? this.#geometry.rowAtOffset(position) : position;
  }

  /** All loaded rows. */
  *loaded(): Generator<RecordJson> {
    for (const { rows } of this.#pages.values()) yield* rows;
  }

  /** The position of a row among the loaded ones and those being added; -1 when it is not loaded. */
  indexOf(id: number): number {
    if (this.#held && this.#held.position !== null && this.idOf(this.#held.id) === this.idOf(id))
      return this.#rowAtPosition(this.#held.position);
    const loaded = this.#pending.isHeld(id) ? -1 : this.#rowAtPosition(this.#indexOfLoaded(this.idOf(id)));
    const added = this.#pending.indexOfAdded(this.idOf(id));
    return loaded >= 0 || added < 0 ? loaded : this.count - this.#pending.addedCount + added;
  }

  /** Returns the id under which a row is stored; a row that is being added has a temporary id until then. */
  idOf(id: number): number {
    return this.#pending.idOf(id);
  }

  isSaving(id: number): boolean {
    return this.#pending.isSaving(id);
  }

  /** Shows other cell values of a row, until they are stored and loaded. */
  patch(id: number, fields: RecordJson["fields"]): SavingChange<unknown> {
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
        if (this.#indexOfLoaded(storedId) >= 0 && !this.#pending.isHeld(id))
          this.#pending.removeAdded((each) => each === storedId);
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
    for (const [page, { rows, held }] of pages) {
      const at = rows.findIndex((row) => row.id === id);
      const offset = page * PAGE_ROWS + at;
      if (at >= 0) return held !== null && held === this.#held ? held.positionOf(offset) : offset;
    }
    return -1;
  }

  #showWrites(id: number): void {
    const storedId = this.idOf(id);
    if (this.#held && this.idOf(this.#held.id) === storedId)
      this.#held.shown = this.#pending.withWrites(this.#held.record);
    for (const page of this.#pages.values()) {
      const at = page.rows.findIndex((row) => row.id === storedId);
      const record = page.records[at];
      if (record) page.rows = page.rows.with(at, this.#pending.withWrites(record));
    }
  }

  requestRows(first: number, last: number, activeRow: number): void {
    this.#speed.measure(first);
    this.#view = { first, last, activeRow };
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
    this.#view = { first: 0, last: 0, activeRow: 0 };
    this.#geometry = null;
    this.#endHold();
    this.refresh();
  }

  #loadMissing(): void {
    while (new Set(this.#inFlight.values()).size < MAX_CONCURRENT_REQUESTS) {
      const next = this.#nextRange();
      if (!next) return;
      void this.#load(next.page, next.count);
    }
  }

  #nextRange(): PageRange | null {
    const { first, last, activeRow } = this.#view;
    return nextPages({
      first,
      last,
      shown: this.#pagesOf(first, last),
      active: activeRow >= 0 && activeRow < this.count ? pageOf(this.offsetOf(activeRow)) : null,
      // Positions of rows are predicted only where none is folded.
      rowsPerResponse:
        this.#geometry === null || this.#geometry.rowCount === this.#count ? this.#speed.rowsPerResponse : null,
      isMissing: (page) => this.#isMissing(page),
    });
  }

  /** The pages that contain rows; those of folded groups between them are not among them. */
  #pagesOf(first: number, last: number): number[] {
    if (this.count === 0) return this.#geometry ? [] : [0];
    return [...new Set(range(first, last).map((row) => pageOf(this.offsetOf(row))))];
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
    const { held } = this;
    const started = performance.now();
    try {
      const { records, total } = await this.#read(page * PAGE_ROWS, count * PAGE_ROWS, {
        signal: work.signal,
        held,
      });
      if (work.signal.aborted || held !== this.held) return;
      this.#speed.recordResponse(count, (performance.now() - started) / 1000);
      this.#storePages(pages, { records, total, version, held });
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

  #storePages(
    pages: readonly number[],
    { records, total, ...read }: RecordsPage & Pick<LoadedPage, "version" | "held">,
  ): void {
    this.#options.loaded();
    this.#options.changing();
    const anchor = this.rowAt(this.#view.first)?.id;
    const before = this.#view.first;
    const pageBefore = pageOf(this.offsetOf(before));
    if (this.#isReleased) this.#endHold();
    this.#count = total;
    this.#countsHeld = read.held === null;
    this.#updateGeometry();
    this.#pending.handleLoaded(records, read.version);
    pages.forEach((page, at) => {
      const inPage = records.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS);
      const rows = inPage.map((row) => this.#pending.withWrites(row));
      if (rows.length > 0 || page === 0) this.#pages.set(page, { records: inPage, rows, ...read });
      else this.#pages.delete(page);
    });
    for (const page of this.#pages.keys()) if (page * PAGE_ROWS >= Math.max(1, total)) this.#pages.delete(page);
    this.#dropLoadedRows();
    this.#evictDistant();
    // Rows inserted or deleted above those in view do not move them.
    const now =
      anchor === undefined || before === 0 || !pages.includes(pageBefore) ? -1 : this.#indexNear(anchor, pages);
    const movedBy = now < 0 ? 0 : now - before;
    if (!this.#geometry) this.#held?.moveBy(movedBy);
    const { first, last, activeRow } = this.#view;
    this.#view = { first: first + movedBy, last: last + movedBy, activeRow: activeRow + movedBy };
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
      const offset = page * PAGE_ROWS + at;
      if (at >= 0) return this.#rowAtPosition(this.#held?.positionOf(offset) ?? offset);
    }
    return -1;
  }

  #evictDistant(): void {
    if (this.#pages.size <= MAX_PAGES) return;
    const here = pageOf(this.offsetOf(this.#view.first));
    const byDistance = [...this.#pages.keys()].toSorted((a, b) => Math.abs(b - here) - Math.abs(a - here));
    for (const page of byDistance.slice(0, this.#pages.size - MAX_PAGES)) this.#pages.delete(page);
  }
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
