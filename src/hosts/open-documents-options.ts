import type { Durability, FormulaLimits, LoggedCommit } from "../doc/document.ts";
import type { HistoryLimits } from "../doc/history.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import type { SeenCommit } from "./answer-gate.ts";
import type { ClosedFile } from "./document-runtime.ts";

export interface OpenDocumentsOptions {
  /** The data folder; each document has its own folder below `docs/`. */
  readonly folder: string;
  /** `read`: opens documents for reading snapshots, while another thread has them open. */
  readonly access?: "write" | "read";
  readonly clock: Clock;
  readonly log: Log;
  readonly durability: Durability;
  /** As `RuntimeOptions.isPast`. */
  readonly isPast?: boolean;
  /** As `RuntimeOptions.isLogged`. */
  readonly isLogged?: boolean;
  /** Maximum number of open documents; exceeded only while cursors keep documents open. */
  readonly maxOpen: number;
  /** Idle time after which a document is closed. */
  readonly idleMs: number;
  /** How much history each document keeps. */
  readonly history: HistoryLimits;
  /** Resource limits for the formulas of each document. */
  readonly formulas?: FormulaLimits;
  /** Maximum number of pending events per webhook. */
  readonly queueEvents?: number;
  /** As `RuntimeOptions.pagesUrl`. */
  readonly pagesUrl?: string | undefined;
  /** As `RuntimeOptions.slowMs`. */
  readonly slowMs?: number;
  /** As `RuntimeOptions.indexBytes`. */
  readonly indexBytes?: number;
  /** As `RuntimeOptions.handsOffLargeReads`. */
  readonly handsOffLargeReads?: boolean;
  /** Size of a document's log above which changes wait for snapshots, unless the file is larger. */
  readonly maxLogBytes?: number | undefined;
  /** Called after a change that queued events for webhooks, with its commit. */
  readonly onEvents?: ((uuid: string, seen: SeenCommit) => void) | undefined;
  /** Called when recomputing clock-dependent formulas changed cells, with the commit. */
  readonly onRecalculated?: ((uuid: string, seen: SeenCommit) => void) | undefined;
  /** As `RuntimeCallbacks.onMaintenanceDue`. */
  readonly onMaintenanceDue?: ((uuid: string) => void) | undefined;
  /**
   * Called instead of closing an idle document, or one above the limit, which the receiver closes: other threads may
   * have it open for reading.
   */
  readonly onCloseDue?: ((uuid: string) => void) | undefined;
  /** Called when the log of a document is large and cannot be emptied, because others read. */
  readonly onLogLarge?: ((uuid: string) => void) | undefined;
  /** Called after a document was opened. */
  readonly onOpened?: ((uuid: string) => void) | undefined;
  /** In log mode: as `RuntimeCallbacks.onCommitted`. */
  readonly onCommitted?: ((uuid: string, commit: LoggedCommit) => void) | undefined;
  /** Called after a document was closed for any reason. */
  readonly onClosed?: ((uuid: string, file: ClosedFile) => void) | undefined;
}
