import type { DocumentGrant } from "../../authorization.ts";
import { allOrNothing } from "../../doc/actions/all-or-nothing.ts";
import { takeChunks } from "../../doc/cursors.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { recordsById } from "../../doc/read/records-by-id.ts";
import { AppError } from "../../errors.ts";
import { type JsonResult, jsonResult } from "./apply-actions.ts";

/** The content of the answer of a write of records. */
export type Returned = "none" | "ids" | "records";

export interface ReturningArgs {
  /** Absent: the answer of the route. */
  readonly returned?: Returned | undefined;
}

/** The written records, and the answer of the route without `returned`. */
interface Written {
  /** Ids in the order of the request; an id may be listed several times. */
  readonly ids: readonly number[];
  readonly answer: unknown;
}

/** The largest answer with records, in bytes. */
const MAX_RETURNED_BYTES = 16_777_216;

/**
 * Runs a write of records, and returns its answer in the requested form.
 * @throws AppError `limit.size` if the records are too large for an answer; nothing is then changed
 */
export function returning(
  document: OpenDocument,
  grant: DocumentGrant,
  { returned, table, write }: ReturningArgs & { table: string; write: () => Written },
): JsonResult {
  if (returned === undefined) return jsonResult(write().answer);
  if (returned === "none") {
    write();
    return jsonResult(null);
  }
  if (returned === "ids") return jsonResult({ records: unique(write().ids).map((id) => ({ id })) });
  return allOrNothing(document, () => {
    const chunks = recordsById(document, grant, { table, ids: unique(write().ids) });
    const { bytes, isDone } = takeChunks(chunks, MAX_RETURNED_BYTES);
    if (!isDone) {
      throw new AppError("limit.size", "The written records are too large for return=records; use return=ids");
    }
    return { bytes };
  });
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];
