import { notFound } from "../../errors.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import type { ReadConnection } from "../cursors.ts";
import type { OpenDocument } from "../document.ts";
import { BatchSizer } from "../read/batch-sizer.ts";
import { type Row, RowScan, type Selection } from "../read/row-scan.ts";
import type { ReadTable } from "../read/read-table.ts";
import { type ContentLocation, contentLocationOf } from "./contents.ts";

/** Public information about an attachment. */
export interface AttachmentInfo {
  readonly fileName: string;
  readonly fileSize: number;
  /** ISO 8601 in UTC with milliseconds. */
  readonly timeUploaded: string;
}

/** An attachment with the data needed to serve it. */
export interface FoundAttachment {
  readonly id: number;
  readonly fileName: string;
  /** Lower case with its dot; empty when there is none. */
  readonly fileExt: string;
  readonly ident: string;
  /** The size at the time of the upload. */
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly timeUploadedMs: number;
  readonly location: ContentLocation;
}

const COLUMNS = ["fileName", "fileSize", "timeUploaded"] as const;

/** Yields the chunks of `{"records": [{id, fields}, …]}`. */
export function* attachmentChunks(
  source: ReadConnection,
  table: ReadTable,
  selection: Selection,
): Generator<string, void> {
  const scan = new RowScan(source, { table, columns: COLUMNS, selection });
  const batchSizer = new BatchSizer();
  let separator = '{"records":[';
  for (let rows = scan.take(batchSizer.size); rows.length > 0; rows = scan.take(batchSizer.size)) {
    const text = JSON.stringify(rows.map(([id, ...cells]) => ({ id, fields: toInfo(cells) })));
    batchSizer.record(rows.length, text.length);
    yield separator + text.slice(1, -1);
    separator = ",";
  }
  yield separator === "," ? "]}" : `${separator}]}`;
}

/** @throws AppError `notFound` */
export function attachmentInfo({ db }: OpenDocument, id: number): AttachmentInfo {
  const [row] = db.values(`select ${COLUMNS.join(", ")} from _grist_Attachments where id = ?`, id);
  if (!row) throw attachmentNotFound(id);
  return toInfo(row);
}

/** @throws AppError `notFound` */
export function findAttachment({ db }: OpenDocument, id: number): FoundAttachment {
  const [row] = db.values(`${SELECT_ATTACHMENT} where a.id = ?`, id);
  if (!row) throw attachmentNotFound(id);
  return toFoundAttachment(row);
}

/** Returns for each content the first attachment that has it, ordered by id. */
export function listContents({ db }: OpenDocument): FoundAttachment[] {
  return db
    .values(
      `${SELECT_ATTACHMENT} where a.id in (select min(id) from _grist_Attachments group by fileIdent) order by a.id`,
    )
    .map(toFoundAttachment);
}

const SELECT_ATTACHMENT = `
  select a.id, a.fileName, a.fileExt, a.fileIdent, a.fileSize, a.timeUploaded, octet_length(f.data), f.storageId
  from _grist_Attachments a left join _gristsys_Files f on f.ident = a.fileIdent`;

const toFoundAttachment = ([
  id,
  fileName,
  fileExt,
  ident,
  sizeBytes,
  time,
  size = null,
  storageId = null,
]: Row): FoundAttachment => ({
  id: Number(id),
  fileName: text(fileName),
  fileExt: text(fileExt),
  ident: text(ident),
  sizeBytes: Number(sizeBytes) || 0,
  timeUploadedMs: Number(time) || 0,
  location: contentLocationOf(size, storageId),
});

const toInfo = ([fileName, fileSize, time]: Row): AttachmentInfo => ({
  fileName: text(fileName),
  fileSize: Number(fileSize) || 0,
  timeUploaded: isoTime(timeOf(time)),
});

/** Invalid times, as foreign files may hold them, count as the epoch. */
function timeOf(value: SqlValue | undefined): number {
  const time = Number(value);
  return Math.abs(time) <= 8.64e15 ? time : 0;
}

const text = (value: SqlValue | undefined): string => (typeof value === "string" ? value : "");

const attachmentNotFound = (id: number): Error => notFound(`There is no attachment ${id}`, "attachment.not_found");

/** Returns how many contents the attachments have, and how many of these are in each store. */
export function countContents({ db }: OpenDocument): { total: number; stored: ReadonlyMap<string, number> } {
  const rows = db.values(
    `select case when data is null then storageId end as store, count(*) from _gristsys_Files
     where ident in (select fileIdent from _grist_Attachments) group by store`,
  );
  const stored = rows.filter(([store]) => typeof store === "string" && store !== "");
  return {
    total: rows.reduce((sum, [, count]) => sum + Number(count), 0),
    stored: new Map(stored.map(([store, count]) => [String(store), Number(count)])),
  };
}
