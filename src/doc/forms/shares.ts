import type { CellValue } from "../../values/cell.ts";
import { AppError } from "../../errors.ts";
import { randomHex } from "../../lib/ids.ts";
import type { OpenDocument } from "../document.ts";
import { hasTable } from "../migrations/stored-tables.ts";

/** Shares of published forms, the rows of `_grist_Shares`, and the generations of their link ids. */

const SHARES = "_grist_Shares";

/**
 * Internal table: the generation of each link id that a share once lost. Keys in the home database have the generation with which
 * they were made, so that a link id that is used again does not revive its former key, whatever the home database knows by then.
 * Lost with the table, which restoring an earlier version of the document does, all keys of the link ids are valid.
 */
const GENERATIONS = "_quern_share_generations";

/** A share of published forms. */
export interface Share {
  readonly ref: number;
  readonly isPublished: boolean;
}

/** What a key opens: the share with a link id, as long as its generation is current. */
export interface ShareLink {
  readonly linkId: string;
  readonly generation: string;
}

const hasShares = ({ schema }: Pick<OpenDocument, "schema">): boolean =>
  schema.stored.get(SHARES.toLowerCase())?.has("linkid") === true;

/** Returns the share of a link; null when there is none, or several, so that it is unclear which one is meant. */
export function findShare(document: OpenDocument, { linkId, generation }: ShareLink): Share | null {
  const { db } = document;
  if (!hasShares(document)) return null;
  const [row, second] = db.values(`select id, options from ${SHARES} where linkId = ? limit 2`, linkId);
  const current = generationsOf(document).get(linkId);
  if (!row || second || (current !== undefined && current !== generation)) return null;
  const options = jsonObject(row[1] as CellValue);
  return { ref: Number(row[0]), isPublished: options?.["publish"] === true };
}

/** Returns the links of all shares. */
export function listShareLinks(document: OpenDocument): ShareLink[] {
  if (!hasShares(document)) return [];
  const generations = generationsOf(document);
  return document.db
    .values(`select linkId from ${SHARES} group by linkId order by min(id)`)
    .map(([linkId]) => linkId)
    .filter((linkId): linkId is string => typeof linkId === "string" && linkId !== "")
    .map((linkId) => ({ linkId, generation: generations.get(linkId) ?? "" }));
}

function generationsOf({ db }: Pick<OpenDocument, "db">): Map<string, string> {
  if (!hasTable(db, GENERATIONS)) return new Map();
  return new Map(
    db.values(`select link_id, generation from ${GENERATIONS}`).map(([id, value]) => [String(id), String(value)]),
  );
}

type Action = readonly [name: string, table: string, ...rest: unknown[]];

interface ShareChange {
  /** Document actions that were applied. */
  readonly stored: readonly Action[];
  readonly undo: readonly Action[];
}

const isOfShares = ([, table]: Action): boolean => table === SHARES;

/**
 * Call at the end of a change, in its transaction: validates shares that it wrote, and ends the keys of link ids that it removed
 * or renamed.
 * @throws AppError `share.invalid`
 */
export function finishShareChange(document: OpenDocument, { stored, undo }: ShareChange): void {
  const written = stored.filter(isOfShares);
  if (written.length === 0) return;
  for (const [name, , rows] of written) {
    if (!name.startsWith("Bulk") && typeof rows === "number") checkShares(document, [rows]);
    else if (Array.isArray(rows)) checkShares(document, rows as number[]);
  }
  const former = undo.filter(isOfShares).flatMap(([, , , cells]) => linkIdsIn(cells));
  if (former.length > 0) renewGenerations(document, former);
}

/** Returns the link ids in the cells of an action, which it writes or restores. */
function linkIdsIn(cells: unknown): string[] {
  const values = cells !== null && typeof cells === "object" ? (cells as { linkId?: unknown }).linkId : undefined;
  return [values].flat().filter((value): value is string => typeof value === "string" && value !== "");
}

function checkShares({ db }: OpenDocument, ids: readonly number[]): void {
  const list = JSON.stringify(ids);
  const inList = "id in (select value from json_each(?))";
  for (const [options] of db.values(`select options from ${SHARES} where ${inList}`, list)) {
    if (options !== null && options !== "" && !jsonObject(options as CellValue)) {
      throw new AppError("share.invalid", "options of a share must be a JSON object");
    }
  }
  const repeated = db.values(
    `select 1 from ${SHARES} where linkId in (select linkId from ${SHARES} where ${inList}) and linkId <> ''
      group by linkId having count(*) > 1`,
    list,
  );
  if (repeated.length > 0) throw new AppError("share.invalid", "linkId must differ from that of every other share");
}

function renewGenerations(document: OpenDocument, linkIds: readonly string[]): void {
  const { db } = document;
  if (!hasTable(db, GENERATIONS)) {
    db.exec(`create table ${GENERATIONS} (link_id text primary key, generation text not null)`);
    document.invalidateSchema();
  }
  for (const linkId of new Set(linkIds)) {
    db.run(`insert or replace into ${GENERATIONS} (link_id, generation) values (?, ?)`, linkId, randomHex(8));
  }
}

/** Returns the JSON object of a text; null when it is none. */
function jsonObject(text: CellValue): Readonly<Record<string, unknown>> | null {
  if (typeof text !== "string") return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
