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

/** What every verb gets besides its grant: the stores, the time and the log. The same for all requests. */
export interface Context {
  readonly home: Home;
  readonly documents: Documents;
  /** Tells those who follow documents; to be stopped first of all. */
  readonly signals: ChangeNotifier;
  /** Where attachments are kept outside of documents. */
  readonly files: AttachmentStores;
  /** Attachments on their way from one store to another; to be closed before `documents`. */
  readonly transfers: AttachmentTransfers;
  /** What makes backups at their times; to be stopped. */
  readonly backups: BackupSchedule;
  /** Earlier contents of documents. */
  readonly snapshots: SnapshotStore;
  /** By `createIdentity`; to be closed before `home`. */
  readonly identity: Identity;
  /** What runs SQL queries; to be closed before `documents`. */
  readonly sql: QueryPool;
  /** What calls webhooks; to be stopped before `documents` is closed. */
  readonly webhooks: Deliverer;
  /** Files that wait to be imported. */
  readonly uploads: UploadStore;
  /** When documents were changed; to be written before `home` is closed. */
  readonly lastChanges: LastChanges;
  readonly clock: Clock;
  /** Tells whether things may be deleted for their age. */
  readonly clockJumpDetector: ClockJumpDetector;
  readonly timers: Timers;
  readonly log: Log;
}
