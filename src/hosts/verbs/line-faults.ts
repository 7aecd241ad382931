import type { DocumentGrant } from "../../authorization.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import type { OpenDocument } from "../../doc/document.ts";
import type { AppError } from "../../errors.ts";
import { parseJson } from "../../payload.ts";
import { applyAsCaller } from "./apply-actions.ts";
import { isAboutLines, withLine } from "./line-errors.ts";

/** Arguments of a write whose body was sent as NDJSON. */
export interface LinesArgs {
  /** The number of the line of each record; absent for a body of JSON. */
  readonly lines?: readonly number[] | undefined;
}

interface WriteArgs extends LinesArgs {
  readonly body: Uint8Array | null;
  readonly noparse: boolean;
}

/** Returns the actions that write records. */
type ActionsOf = (records: readonly Record<string, unknown>[]) => readonly UserAction[];

/** The search for the line at fault ends after this time; the error then names no line. */
const MAX_SEARCH_MS = 1000;

/**
 * Runs a write of lines in one transaction. If it is refused, the error names the first line with which it is refused. This is
 * found by applying fewer lines, which are rolled back.
 */
export function namingLine<T>(
  document: OpenDocument,
  grant: DocumentGrant,
  { args, actionsOf, write }: { args: WriteArgs; actionsOf: ActionsOf; write: () => T },
): T {
  try {
    return write();
  } catch (error) {
    const { lines } = args;
    if (!lines || !isAboutLines(error)) throw error;
    const { records } = parseJson(args.body) as { records: readonly Record<string, unknown>[] };
    const refusalOf = (count: number): AppError | null =>
      tryActions(document, grant, { noparse: args.noparse, actions: () => actionsOf(records.slice(0, count)) });
    const fault = findFault(document, { count: records.length, refusalOf });
    const line = fault ? lines[fault.count - 1] : undefined;
    throw fault && line !== undefined ? withLine(fault.refusal, line) : error;
  }
}

/** Returns the smallest number of lines that are refused; null if their number does not matter, or it takes too long. */
function findFault(
  { clock }: OpenDocument,
  { count, refusalOf }: { count: number; refusalOf: (count: number) => AppError | null },
): { count: number; refusal: AppError } | null {
  const deadline = clock.elapsed() + MAX_SEARCH_MS;
  if (refusalOf(0)) return null;
  let found: { count: number; refusal: AppError } | null = null;
  let accepted = 0;
  let refused = count + 1;
  while (refused - accepted > 1) {
    if (clock.elapsed() > deadline) return null;
    const middle = (accepted + refused) >> 1;
    const refusal = refusalOf(middle);
    if (refusal) found = { count: middle, refusal };
    if (refusal) refused = middle;
    else accepted = middle;
  }
  return found;
}

/** Applies actions and rolls them back. Returns the refusal; null if they can be applied. */
function tryActions(
  document: OpenDocument,
  grant: DocumentGrant,
  { actions, noparse }: { actions: () => readonly UserAction[]; noparse: boolean },
): AppError | null {
  const rollback = new Error("The actions can be applied");
  try {
    const list = actions();
    const source = function* (): Generator<UserAction> {
      yield* list;
      throw rollback;
    };
    applyAsCaller(document, grant, source, { noparse, storesRecords: true });
  } catch (error) {
    if (isAboutLines(error)) return error;
    if (error !== rollback) throw error;
  }
  return null;
}
