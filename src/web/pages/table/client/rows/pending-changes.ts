import type { RecordJson } from "../../../../base/table-data.ts";

/** Cell values of a row that are being saved. */
export interface PendingWrite {
  readonly rowId: number;
  readonly fields: RecordJson["fields"];
  /** Rows loaded with this version or a later one contain it. */
  storedVersion: number;
}

/** A row that is being added at the end. */
interface AddedRow {
  /** The server's record, as far as it is known. */
  record: RecordJson;
  /** With the values that are being saved. */
  shown: RecordJson;
  storedVersion: number;
  /** Whether the number of loaded rows includes it. */
  isCounted: boolean;
  /** Whether it is read apart from all other rows. */
  isHeld: boolean;
}

/** The latest temporary id. They are unique on the page, since a change may concern rows of several sheets. */
let lastTemporaryId = 0;

/**
 * The changes of this window that the loaded rows do not contain yet. They are shown meanwhile: rows that were read
 * before a change was stored arrive after it.
 */
export class PendingChanges {
  #writes: PendingWrite[] = [];
  #added: AddedRow[] = [];
  /** Ids of added rows by their temporary ids, which are negative. */
  readonly #storedIds = new Map<number, number>();

  /** Number of added rows. */
  get addedCount(): number {
    return this.#added.length;
  }

  /** Number of added rows that the number of loaded rows does not include. */
  get uncountedCount(): number {
    return this.#added.filter(({ isCounted }) => !isCounted).length;
  }

  addedAt(index: number): RecordJson | undefined {
    return this.#added[index]?.shown;
  }

  /** The position among the added rows; -1 for other rows. */
  indexOfAdded(id: number): number {
    return this.#added.findIndex(({ record }) => record.id === id);
  }

  /** Returns the id under which a row is stored; for all but rows that were just added, the same one. */
  idOf(id: number): number {
    return this.#storedIds.get(id) ?? id;
  }

  /** Adds a row, and returns its temporary id. */
  addRow(): number {
    const record = { id: --lastTemporaryId, fields: {} };
    this.#added.push({ record, shown: record, storedVersion: Infinity, isCounted: false, isHeld: false });
    return record.id;
  }

  setStored(temporaryId: number, id: number, version: number): void {
    this.#storedIds.set(temporaryId, id);
    const added = this.#added.find(({ record }) => record.id === temporaryId);
    if (!added) return;
    added.record = { ...added.record, id };
    added.storedVersion = version;
    this.#refreshAdded();
  }

  /** Reads an added row apart from all others, or no longer. */
  setHeld(id: number, isHeld: boolean): void {
    const added = this.#added.find(({ record }) => record.id === this.idOf(id));
    if (added) added.isHeld = isHeld;
  }

  /** Whether an added row is read apart from all others. */
  isHeld(id: number): boolean {
    return this.#added.some((added) => added.isHeld && added.record.id === this.idOf(id));
  }

  /** Shows the record of an added row, as it is stored. */
  setRecord(record: RecordJson): void {
    const added = this.#added.find(({ record: { id } }) => id === record.id);
    if (added) added.record = record;
    this.#refreshAdded();
  }

  /** Removes added rows. */
  removeAdded(isRemoved: (id: number) => boolean): void {
    this.#added = this.#added.filter(({ record }) => !isRemoved(record.id));
  }

  addWrite(rowId: number, fields: RecordJson["fields"]): PendingWrite {
    const write = { rowId, fields, storedVersion: Infinity };
    this.#writes.push(write);
    this.#refreshAdded();
    return write;
  }

  removeWrite(write: PendingWrite): void {
    this.#writes = this.#writes.filter((each) => each !== write);
    this.#refreshAdded();
  }

  /** Whether values of a row are shown that the loaded rows may not contain. */
  isSaving(id: number): boolean {
    return this.#writes.some(({ rowId }) => this.idOf(rowId) === this.idOf(id));
  }

  /** Drops the writes that rows loaded with a version contain. */
  handleLoaded(rows: readonly RecordJson[], version: number): void {
    const ids = new Set(rows.map(({ id }) => id));
    this.#writes = this.#writes.filter(
      ({ rowId, storedVersion }) => storedVersion > version || !ids.has(this.idOf(rowId)),
    );
    // Rows that were requested before the response about a new row may contain it already.
    const contains = ({ storedVersion, record }: AddedRow) => storedVersion <= version || ids.has(record.id);
    for (const added of this.#added) if (contains(added) && !added.isHeld) added.isCounted = true;
  }

  /** The added rows that the number of loaded rows includes. */
  get countedIds(): readonly number[] {
    return this.#added.filter(({ isCounted }) => isCounted).map(({ record }) => record.id);
  }

  /** Returns a row with the values that are being saved. */
  withWrites(row: RecordJson): RecordJson {
    const writes = this.#writes.filter(({ rowId }) => this.idOf(rowId) === row.id);
    if (writes.length === 0) return row;
    const fields = Object.assign({}, ...writes.map((write) => write.fields)) as RecordJson["fields"];
    const errors = Object.entries(row.errors ?? {}).filter(([column]) => !Object.hasOwn(fields, column));
    return { id: row.id, fields: { ...row.fields, ...fields }, errors: Object.fromEntries(errors) };
  }

  #refreshAdded(): void {
    for (const added of this.#added) added.shown = this.withWrites(added.record);
  }
}
