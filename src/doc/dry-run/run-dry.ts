import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { dropCachedState } from "../actions/all-or-nothing.ts";
import type { OpenDocument } from "../document.ts";
import { pauseTiming } from "../formulas/timing-session.ts";
import { seesEverything, visibilityFor } from "../read/visibility-filter.ts";
import {
  type ChangedState,
  compareStates,
  type DryRunReport,
  idsOf,
  isComparable,
  isRuleTable,
  type Side,
} from "./compare-states.ts";
import { DRY_RUN_MS, DryRun, DryRunTimeout, withDryRun } from "./dry-run.ts";
import { readRowsOf, type TableRows } from "./read-rows.ts";
import { touchedRows } from "./touched-rows.ts";
import { lastEventId, queuedEvents } from "./webhook-events.ts";

export type { DryRunReport } from "./compare-states.ts";

/** Thrown to roll the change back. */
class Rollback extends Error {}

/**
 * Applies a change, finds out its consequence for the caller, and rolls it back: neither the file and its log nor what
 * memory holds of them changes.
 * @throws AppError what the change throws; `conflict` with partial results when it takes too long
 */
export function runDry(
  document: OpenDocument,
  grant: DocumentGrant,
  change: () => unknown,
  { maxMs = DRY_RUN_MS }: { maxMs?: number } = {},
): DryRunReport {
  const before = sideOf(document, grant);
  const dryRun = new DryRun(document.clock, maxMs);
  const changed = rolledBack(document, () =>
    withDryRun(document.db, dryRun, () => {
      try {
        const lastEvent = lastEventId(document);
        change();
        return readChanged(document, grant, { before, dryRun, lastEvent });
      } catch (error) {
        throw error instanceof DryRunTimeout ? timeLimitExceeded(before, dryRun) : error;
      }
    }),
  );
  const afterwards = new DryRun(document.clock, maxMs);
  return withDryRun(document.db, afterwards, () => {
    try {
      return compareStates(document, { before: sideOf(document, grant), after: changed });
    } catch (error) {
      throw error instanceof DryRunTimeout ? timeLimitExceeded(before, dryRun) : error;
    }
  });
}

/** Runs `work` in a transaction that is rolled back, on a document whose file and log do not change. */
export function rolledBack<T>(document: OpenDocument, work: () => T): T {
  const { db } = document;
  const resumeTiming = pauseTiming(document);
  // Otherwise pages of a large change would be written to the log before the end of the transaction.
  db.exec("pragma cache_spill = off");
  let result: { value: T } | undefined;
  try {
    db.transaction(() => {
      result = { value: work() };
      throw new Rollback();
    });
  } catch (error) {
    if (!result || !(error instanceof Rollback)) throw error;
  } finally {
    db.exec("pragma cache_spill = on; pragma shrink_memory");
    dropCachedState(document);
    resumeTiming();
  }
  if (!result) throw new Error("the transaction was not rolled back");
  return result.value;
}

function sideOf(document: OpenDocument, grant: DocumentGrant): Side {
  const visibility = visibilityFor(document, grant);
  const isUnrestricted = seesEverything(visibility.rules);
  return { schema: document.schema, visible: visibility.tables(), visibility, isUnrestricted };
}

function readChanged(
  document: OpenDocument,
  grant: DocumentGrant,
  { before, dryRun, lastEvent }: { before: Side; dryRun: DryRun; lastEvent: number },
): ChangedState {
  const side = sideOf(document, grant);
  const isRestricted = !before.isUnrestricted || !side.isUnrestricted;
  const touched = touchedRows(dryRun.changes);
  const checkTime = () => dryRun.checkTime();
  const rows = new Map<string, TableRows | null>();
  for (const [table, changes] of touched) {
    const isListed = !isRestricted || isComparable(side, table);
    rows.set(table, isListed ? readRowsOf(document, side.visibility, { table, ids: idsOf(changes), checkTime }) : null);
  }
  checkTime();
  const webhooks = grant.role === "owners" ? queuedEvents(document, lastEvent) : null;
  return { ...side, touched, rows, webhooks };
}

/** The partial results are the rows that were written: whether a caller under rules can read them is not known. */
function timeLimitExceeded(before: Side, dryRun: DryRun): AppError {
  const touched = touchedRows(dryRun.changes);
  const changesRules = [...touched.keys()].some(isRuleTable);
  const tables =
    before.isUnrestricted && !changesRules
      ? [...touched].map(([table, { added, updated, removed }]) => ({
          table,
          rows: { added: added.size, changed: updated.difference(added).size, removed: removed.size },
        }))
      : [];
  return new AppError("dry_run.time_limit", "The dry run takes too long", { details: { tables } });
}
