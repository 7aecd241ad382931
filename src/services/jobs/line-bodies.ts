/** Bodies with one record per line. */
import { AppError } from "../../errors.ts";
import { LineSpool, type LineSpoolLimits } from "../../files/line-spool.ts";
import { parseObject } from "../../lib/text/json-lines.ts";
import type { IncomingUpload } from "../imports/uploads.ts";
import { LINES_PER_TRANSACTION, type LineWrite } from "./jobs.ts";

export type { LineSpool } from "../../files/line-spool.ts";

/** The options of a write of lines. */
export type LineOptions = Omit<LineWrite, "table" | "method">;

/** Writes a body to a temporary file. @throws AppError as `LineSpool.receive` */
export const receiveLines = (
  { source, limits }: IncomingUpload,
  { maxLineBytes }: Pick<LineSpoolLimits, "maxLineBytes">,
): Promise<LineSpool> => LineSpool.receive(source, { ...limits, maxLineBytes });

/**
 * Tells whether lines are too many for one transaction, or have to be reported one by one.
 * @param maxBytes the largest body that is one transaction
 * @throws AppError `invalid` without lines
 */
export function needsJob(
  { lines, sizeBytes }: LineSpool,
  { onError, atomic, maxBytes }: LineOptions & { readonly maxBytes: number },
): boolean {
  if (lines === 0) throw new AppError("body.invalid_json", "The body has no lines");
  if (atomic && onError === "skip") throw new AppError("invalid", "atomic and onError=skip exclude each other");
  return onError === "skip" || lines > LINES_PER_TRANSACTION || sizeBytes > maxBytes;
}

/** The JSON body of the same write, and the number of the line of each record. */
export interface JoinedLines {
  readonly body: Uint8Array;
  readonly lines: readonly number[];
}

/** Returns the lines as a JSON body. @throws AppError `invalid` for a line that is not an object */
export async function joinLines(spool: LineSpool): Promise<JoinedLines> {
  const lines = await spool.readLines();
  for (const { number, text } of lines) {
    if (parseObject(text)) continue;
    const details = { line: number };
    throw new AppError("body.invalid_json", `Line ${number} is not a JSON object`, { details });
  }
  // Each line is one object: joining them cannot change their meaning.
  const body = Buffer.from(`{"records":[${lines.map(({ text }) => text).join(",")}]}`);
  return { body, lines: lines.map(({ number }) => number) };
}
