import type { DocumentGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { Context } from "../../../services/context.ts";
import { fetchRecords } from "../../../services/documents/content.ts";
import { changesToState } from "../../../services/documents/history.ts";
import type { Changes, History } from "../../../wire/documents/history.ts";
import { parseRendered } from "../../base/parse-rendered.ts";
import type { RecordsPage } from "../../base/table-data.ts";

/** The metadata that names tables and columns, now and at earlier states. */

type State = History["states"][number];
type Fields = Readonly<Record<string, unknown>>;

const METADATA_TABLES = ["_grist_Tables", "_grist_Tables_column", "_grist_Views_section"] as const;
type MetadataTable = (typeof METADATA_TABLES)[number];

/** Records by row id. */
export type Metadata = Readonly<Record<MetadataTable, ReadonlyMap<number, Fields>>>;

/** The metadata before and after the change that led to a state. */
export interface StateMetadata {
  readonly before: Metadata;
  readonly after: Metadata;
}

/** Reads the current metadata; tables that the caller may not read are empty. */
export async function readMetadata(ctx: Context, grant: DocumentGrant): Promise<Metadata> {
  const tables = await Promise.all(METADATA_TABLES.map((table) => readTable(ctx, grant, table)));
  return Object.fromEntries(METADATA_TABLES.map((table, at) => [table, tables[at]])) as unknown as Metadata;
}

async function readTable(ctx: Context, grant: DocumentGrant, table: string): Promise<ReadonlyMap<number, Fields>> {
  try {
    const answer = await fetchRecords(ctx, grant, { table, hidden: true, typed: false });
    const { records } = await parseRendered<RecordsPage>(ctx, grant, answer);
    return new Map(records.map(({ id, fields }) => [id, fields]));
  } catch (error) {
    if (error instanceof AppError) return new Map();
    throw error;
  }
}

/**
 * Returns the metadata at states, newest first and without gaps, by their numbers. It goes back from the current
 * metadata: if the newest of the states is not the document's newest one, its names are the current ones.
 */
export async function readPastMetadata(
  ctx: Context,
  grant: DocumentGrant,
  states: readonly State[],
): Promise<ReadonlyMap<number, StateMetadata>> {
  const [current, deltas] = await Promise.all([
    readMetadata(ctx, grant),
    Promise.all(states.map((state) => readMetadataChanges(ctx, grant, state))),
  ]);
  const found = new Map<number, StateMetadata>();
  let after = current;
  for (const [at, { n }] of states.entries()) {
    const before = undoMetadataChanges(after, deltas[at] ?? {});
    found.set(n, { before, after });
    after = before;
  }
  return found;
}

/** Returns nothing for states that did not change this metadata, or whose changes are no longer kept. */
async function readMetadataChanges(
  ctx: Context,
  grant: DocumentGrant,
  { h, tables }: State,
): Promise<Changes["tableDeltas"]> {
  if (!tables.some(({ table }) => METADATA_TABLES.some((each) => each === table))) return {};
  try {
    // Rows of metadata are complete; those of other tables are not needed.
    return (await changesToState(ctx, grant, { h, maxRows: 1 })).tableDeltas;
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}

/** Returns the metadata before changes. */
export function undoMetadataChanges(after: Metadata, deltas: Changes["tableDeltas"]): Metadata {
  const changed = METADATA_TABLES.flatMap((table) => {
    const delta = deltas[table];
    return delta ? [[table, undoTableChanges(after[table], delta)] as const] : [];
  });
  return changed.length === 0 ? after : { ...after, ...Object.fromEntries(changed) };
}

function undoTableChanges(
  after: ReadonlyMap<number, Fields>,
  { addRows, removeRows, columnDeltas }: Changes["tableDeltas"][string],
): ReadonlyMap<number, Fields> {
  const before = new Map(after);
  const removed = new Set(removeRows);
  for (const id of addRows) if (!removed.has(id)) before.delete(id);
  for (const id of removed) before.set(id, {});
  for (const [column, cells] of Object.entries(columnDeltas)) {
    for (const [row, [known]] of Object.entries(cells)) {
      const fields = before.get(Number(row));
      if (fields && known) before.set(Number(row), { ...fields, [column]: known[0] });
    }
  }
  return before;
}
