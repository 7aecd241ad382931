import { AppError } from "../../errors.ts";

/** The rows of a live query's result: their ids ascending, and a hash of the record of each. */
export interface ResultRows {
  readonly ids: Float64Array;
  readonly hashes: BigUint64Array;
}

/** Records with their texts as JSON, ascending by id. */
export interface ReadRows extends ResultRows {
  readonly texts: readonly string[];
}

/** The difference between two results. */
export interface RowChanges {
  /** Positions in the texts that were read. */
  readonly added: readonly number[];
  readonly updated: readonly number[];
  readonly removed: readonly number[];
}

/** How large a result can be. */
export const RESULT_LIMITS = { rows: 10_000, characters: 8 * 1024 ** 2 } as const;

/**
 * Reads records from the lines of NDJSON.
 * @param seed of the hashes, which callers cannot know: hashes of different records must not be equal on purpose
 * @throws AppError `tooLarge`
 */
export function readRows(chunks: Iterable<string>, seed: bigint): ReadRows {
  const ids: number[] = [];
  const hashes: bigint[] = [];
  const texts: string[] = [];
  let characters = 0;
  for (const chunk of chunks) {
    characters += chunk.length;
    for (const text of chunk.split("\n")) {
      if (text === "") continue;
      if (texts.push(text) > RESULT_LIMITS.rows || characters > RESULT_LIMITS.characters) throw tooLarge();
      ids.push(idOf(text));
      hashes.push(Bun.hash.wyhash(text, seed));
    }
  }
  return { ...sharedRows(ids, hashes), texts };
}

/** The memory is shared between threads, which would otherwise copy it twice for each read. It must not be changed. */
function sharedRows(ids: ArrayLike<number>, hashes: ArrayLike<bigint>): ResultRows {
  const rows = {
    ids: new Float64Array(new SharedArrayBuffer(ids.length * Float64Array.BYTES_PER_ELEMENT)),
    hashes: new BigUint64Array(new SharedArrayBuffer(ids.length * BigUint64Array.BYTES_PER_ELEMENT)),
  };
  rows.ids.set(ids);
  rows.hashes.set(hashes);
  return rows;
}

export const tooLarge = (): AppError =>
  new AppError(
    "limit.live_rows",
    `The result of a live query can have at most ${RESULT_LIMITS.rows} records and ${RESULT_LIMITS.characters / 1024 ** 2} MB; use a narrower filter or fewer fields`,
  );

const BEFORE_ID = '{"id":'.length;

/** Records begin with their id. */
const idOf = (text: string): number => Number.parseInt(text.slice(BEFORE_ID, BEFORE_ID + MAX_ID_LENGTH), 10);
const MAX_ID_LENGTH = 20;

/** Compares a whole result with the one before. */
export function compareRows(before: ResultRows, now: ResultRows): RowChanges {
  const changes = { added: [] as number[], updated: [] as number[], removed: [] as number[] };
  let at = 0;
  for (const [old, id] of before.ids.entries()) {
    while (at < now.ids.length && (now.ids[at] ?? 0) < id) changes.added.push(at++);
    if (now.ids[at] !== id) changes.removed.push(id);
    else if (now.hashes[at++] !== before.hashes[old]) changes.updated.push(at - 1);
  }
  while (at < now.ids.length) changes.added.push(at++);
  return changes;
}

/** Returns a result after some of its rows, `changed`, were read again. @throws AppError `tooLarge` */
export function replaceRows(before: ResultRows, now: ResultRows, changed: ReadonlySet<number>): ResultRows {
  const ids = new Float64Array(before.ids.length + now.ids.length);
  const hashes = new BigUint64Array(ids.length);
  let count = 0;
  const put = ({ ids: from, hashes: fromHashes }: ResultRows, at: number): void => {
    ids[count] = from[at] ?? 0;
    hashes[count++] = fromHashes[at] ?? 0n;
  };
  let next = 0;
  for (let at = 0; at < before.ids.length; at++) {
    const id = before.ids[at] ?? 0;
    if (changed.has(id)) continue;
    while ((now.ids[next] ?? Number.POSITIVE_INFINITY) < id) put(now, next++);
    put(before, at);
  }
  while (next < now.ids.length) put(now, next++);
  if (count > RESULT_LIMITS.rows) throw tooLarge();
  return sharedRows(ids.subarray(0, count), hashes.subarray(0, count));
}

/** Returns the part of a result with some rows. */
export function selectRows(rows: ResultRows, chosen: ReadonlySet<number>): ResultRows {
  const positions: number[] = [];
  for (let at = 0; at < rows.ids.length; at++) if (chosen.has(rows.ids[at] ?? 0)) positions.push(at);
  return {
    ids: Float64Array.from(positions, (at) => rows.ids[at] ?? 0),
    hashes: BigUint64Array.from(positions, (at) => rows.hashes[at] ?? 0n),
  };
}

const encoder = new TextEncoder();

/** Renders the data of a `change` event; null if nothing changed. */
export function renderChanges({ texts }: ReadRows, { added, updated, removed }: RowChanges): Uint8Array | null {
  if (added.length + updated.length + removed.length === 0) return null;
  const list = (positions: readonly number[]): string => `[${positions.map((at) => texts[at]).join(",")}]`;
  return encoder.encode(`{"added":${list(added)},"updated":${list(updated)},"removed":${JSON.stringify(removed)}}`);
}

/** Renders the list of all records. */
export const renderRecords = ({ texts }: ReadRows): Uint8Array => encoder.encode(`[${texts.join(",")}]`);
