import type { BackupSchedule } from "../backup/backup-schedule.ts";
import type { Snapshots } from "../backup/snapshots.ts";
import type { AttachmentStores } from "../files/attachment-stores.ts";
import type { AttachmentTransfers } from "../files/attachment-transfers.ts";
import type { AppError } from "../errors.ts";
import type { Home } from "../home/home.ts";
import type { ChangeNotifier } from "../hosts/change-notifier.ts";
import type { Documents } from "../hosts/documents.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import type { ClockJumpDetector } from "../lib/time/clock-jump-detector.ts";
import type { TemporarySpace } from "../lib/temporary-space.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { QueryPool } from "../sql/query-pool.ts";
import type { Deliverer } from "../webhooks/deliverer.ts";
import type { Cluster } from "./cluster.ts";
import type { DeliverNotes } from "./notes.ts";
import type { AuditBuffer } from "./audit/audit-buffer.ts";
import type { Identity } from "./accounts/identity.ts";
import type { ClusterDescription } from "./administration/cluster-description.ts";
import type { Email } from "./email/email.ts";
import type { LastChanges } from "./documents/last-changes.ts";
import type { LastVisits } from "./documents/last-visits.ts";
import type { JobRunner } from "./jobs/job-runner.ts";
import type { Oidc } from "./oidc/oidc.ts";
import type { AnswerLimits } from "./forms/answer-limits.ts";
import type { FileFetcher } from "./imports/file-fetcher.ts";
import type { UploadStore } from "./imports/uploads.ts";

/** A request that may use the home database. */
export interface HomeUse {
  /** Resolves when everything that an answer may have seen of the home database is in the log. @throws AppError */
  settled(): Promise<void>;
  /** Ends the request. Idempotent. */
  end(): void;
}

/** The replicated log, as far as requests are concerned. */
export interface RequestLog {
  /** Puts what the log does not have into it; call it before the first request. */
  attach(): Promise<void>;
  /** The server listens on this port from now on. */
  listening(port: number): Promise<void>;
  /** Why no request can be answered now; null if requests can be answered. */
  refusal(): AppError | null;
  /** Begins a request that may use the home database. */
  useHome(): HomeUse;
  /** True when this server writes the home database: always, except on a node of a cluster. */
  isHomeOwner(): boolean;
  /** Calls a listener when this server becomes the owner of the home database, and when it stops being it. */
  onHomeOwner(listener: (isOwner: boolean) => void): void;
  /** Calls a listener after each change of the home database that another node has made, or this one, as far as it is in the log. */
  onHomeChanged(listener: () => void): void;
  /** Returns those of some documents that were permanently deleted. @throws AppError `log.unavailable` */
  findDeleted(uuids: readonly string[]): Promise<string[]>;
  /** Calls a listener when a document was permanently deleted; with null when that may have been missed. */
  onDeleted(listener: (uuid: string | null) => void): void;
  /** Reads the nodes that share the log. @throws AppError `log.unavailable` */
  describeCluster(): Promise<ClusterDescription>;
  /** True on a node of a cluster that hands its documents over, to stop then. */
  isDraining(): boolean;
  /**
   * On a node of a cluster: hands everything over to other nodes, to which requests are forwarded. Returns whether they have
   * taken everything.
   */
  drain(): Promise<boolean>;
  /** Releases everything; home and documents must be closed. */
  close(): Promise<void>;
}

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
  readonly snapshots: Snapshots;
  /** Created by `createIdentity`; must be closed before `home`. */
  readonly identity: Identity;
  /** Entries of the audit log that are not yet written; must be closed before `home`. Use `recordAudit` and its siblings. */
  readonly audit: AuditBuffer;
  /** Providers of single sign-on. */
  readonly oidc: Oidc;
  /** Runs SQL queries; must be closed before `documents`. */
  readonly sql: QueryPool;
  /** Delivers webhooks; must be stopped before `documents` is closed. */
  readonly webhooks: Deliverer;
  /** Runs the jobs of documents; must be stopped before `documents` is closed. */
  readonly jobs: JobRunner;
  /** Sends email; must be stopped before `home` is closed. */
  readonly email: Email;
  /** Limits the size of temporary files. */
  readonly temporary: TemporarySpace;
  /** Uploads for later imports. */
  readonly uploads: UploadStore;
  /** Fetches files that are imported by their address. */
  readonly fetcher: FileFetcher;
  /** Limits answers to published forms. */
  readonly answerLimits: AnswerLimits;
  /** Times of the last changes of documents; must be flushed before `home` is closed. */
  readonly lastChanges: LastChanges;
  /** When users opened documents; must be flushed before `home` is closed. */
  readonly lastVisits: LastVisits;
  /** Writes to the home database, wherever its owner is. */
  readonly deliverNotes: DeliverNotes;
  /** Null without a replicated log. */
  readonly replication: RequestLog | null;
  /** The other nodes; null without a cluster. */
  readonly cluster: Cluster | null;
  readonly clock: Clock;
  /** Decides whether the system clock can be trusted for age-based deletion. */
  readonly clockJumpDetector: ClockJumpDetector;
  readonly timers: Timers;
  readonly log: Log;
}
