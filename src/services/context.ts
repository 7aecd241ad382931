import type { BackupSchedule } from "../backup/backup-schedule.ts";
import type { SnapshotStore } from "../backup/snapshots.ts";
import type { AttachmentStores } from "../files/attachment-stores.ts";
import type { AttachmentTransfers } from "../files/attachment-transfers.ts";
import type { Home } from "../home/home.ts";
import type { ChangeNotifier } from "../hosts/change-notifier.ts";
import type { Documents } from "../hosts/documents.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import type { ClockJumpDetector } from "../lib/time/clock-jump-detector.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { QueryPool } from "../sql/query-pool.ts";
import type { Deliverer } from "../webhooks/deliverer.ts";
import type { Identity } from "./accounts/identity.ts";
import type { LastChanges } from "./documents/last-changes.ts";
import type { UploadStore } from "./imports/uploads.ts";

/** The dependencies of operations: stores, clock and log. Shared by all requests. */
export interface Context {
  readonly home: Home;
  readonly documents: Documents;
  /** Notifies subscribers of documents; must be stopped first. */
  readonly signals: ChangeNotifier;
  /** Stores of attachments outside of document files. */
  readonly files: AttachmentStores;
  /** Transfers of attachments between stores; must be closed before `documents`. */
  readonly transfers: AttachmentTransfers;
  /** Makes scheduled backups; must be stopped. */
  readonly backups: BackupSchedule;
  /** Snapshots of documents. */
  readonly snapshots: SnapshotStore;
  /** Created by `createIdentity`; must be closed before `home`. */
  readonly identity: Identity;
  /** Runs SQL queries; must be closed before `documents`. */
  readonly sql: QueryPool;
  /** Delivers webhooks; must be stopped before `documents` is closed. */
  readonly webhooks: Deliverer;
  /** Uploads for later imports. */
  readonly uploads: UploadStore;
  /** Times of the last changes of documents; must be flushed before `home` is closed. */
  readonly lastChanges: LastChanges;
  readonly clock: Clock;
  /** Decides whether the system clock can be trusted for age-based deletion. */
  readonly clockJumpDetector: ClockJumpDetector;
  readonly timers: Timers;
  readonly log: Log;
}
