import { BackupSchedule } from "../../src/backup/backup-schedule.ts";
import { SnapshotStore } from "../../src/backup/snapshots.ts";
import { AttachmentStores } from "../../src/files/attachment-stores.ts";
import { AttachmentTransfers } from "../../src/files/attachment-transfers.ts";
import { openHome } from "../../src/home/home.ts";
import { ChangeNotifier } from "../../src/hosts/change-notifier.ts";
import type { Documents } from "../../src/hosts/documents.ts";
import { ClockJumpDetector } from "../../src/lib/time/clock-jump-detector.ts";
import { TemporarySpace } from "../../src/lib/temporary-space.ts";
import { systemTimers } from "../../src/lib/time/timers.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import type { Context } from "../../src/services/context.ts";
import { AuditBuffer } from "../../src/services/audit/audit-buffer.ts";
import { createIdentity, type IdentityOptions } from "../../src/services/accounts/identity.ts";
import { createOidc } from "../../src/services/oidc/oidc.ts";
import { Email } from "../../src/services/email/email.ts";
import { LastChanges } from "../../src/services/documents/last-changes.ts";
import { LastVisits } from "../../src/services/documents/last-visits.ts";
import { writeNotes, type WriteNotes } from "../../src/services/notes.ts";
import { QueryPool } from "../../src/sql/query-pool.ts";
import { JobRunner } from "../../src/services/jobs/job-runner.ts";
import { AnswerLimits } from "../../src/services/forms/answer-limits.ts";
import { FileFetcher } from "../../src/services/imports/file-fetcher.ts";
import { UploadStore } from "../../src/services/imports/uploads.ts";
import { AddressPolicy } from "../../src/webhooks/address-policy.ts";
import { Deliverer } from "../../src/webhooks/deliverer.ts";
import { TestClock } from "./clock.ts";
import { tempFolder } from "./temp-folder.ts";

/** Returns the context of operations that access no document, on a fresh data folder; opening a document fails. */
export function homeContext(
  folder = tempFolder(),
  options: Pick<IdentityOptions, "requiredSecondFactor" | "passwordCost"> = {},
): Context & Disposable & { clock: TestClock; folder: string } {
  const clock = new TestClock();
  const home = openHome(folder, { clock, durability: "normal" });
  home.secrets.create("device");
  home.secrets.create("flow");
  const write: WriteNotes = (notes) => writeNotes(home, notes);
  const identity = createIdentity({ home, write, clock, timers: systemTimers, log: silentLog, ...options });
  const documents = new Proxy({} as Documents, {
    get() {
      throw new Error("no documents in this test");
    },
  });
  return {
    home,
    identity,
    audit: new AuditBuffer({ deliver: async (notes) => write(notes), clock, timers: systemTimers, log: silentLog }),
    oidc: createOidc({ providers: [], clock, log: silentLog }),
    documents,
    signals: new ChangeNotifier(),
    timers: systemTimers,
    temporary: new TemporarySpace({
      folder,
      maxBytes: 1,
      limitError: () => new Error("no temporary files in this test"),
    }),
    sql: new QueryPool({ maxProcesses: 1, timeoutMs: 1000, maxRows: 1, maxBytes: 1, log: silentLog }),
    uploads: new UploadStore({ clock, timers: systemTimers, log: silentLog }),
    files: new AttachmentStores({ folder, inlineMaxBytes: 1, bucket: null }),
    transfers: new AttachmentTransfers(),
    backups: new BackupSchedule({
      place: null,
      everyMs: 1000,
      keep: 1,
      open: () => Promise.reject(new Error("no backups in this test")),
      command: [],
      env: {},
      clock,
      timers: systemTimers,
      log: silentLog,
    }),
    snapshots: new SnapshotStore({ folder, keep: 1, clock }),
    jobs: new JobRunner({
      documents,
      grantOf: () => null,
      exists: () => false,
      authorize: () => Promise.reject(new Error("no jobs in this test")),
      markDue() {},
      due: () => [],
      candidates: () => [],
      isUnclean: () => false,
      onIdle() {},
      timers: systemTimers,
      log: silentLog,
    }),
    webhooks: new Deliverer({
      home,
      documents,
      grantOf: () => null,
      policy: new AddressPolicy([]),
      retryMs: 1000,
      maxAttempts: 1,
      timeoutMs: 1000,
      batchIntervalMs: 0,
      clock,
      timers: systemTimers,
      log: silentLog,
    }),
    fetcher: new FileFetcher({ isOn: false, allowed: [], clock, timers: systemTimers, log: silentLog }),
    email: new Email({
      settings: { missing: "QUERN_SMTP_URL" },
      home,
      useHome: () => null,
      clock,
      timers: systemTimers,
      log: silentLog,
    }),
    answerLimits: new AnswerLimits({ clock, timers: systemTimers }),
    lastChanges: new LastChanges({ write, clock, timers: systemTimers, log: silentLog }),
    lastVisits: new LastVisits({ write, clock, timers: systemTimers, log: silentLog }),
    deliverNotes: async (notes) => write(notes),
    replication: null,
    cluster: null,
    clock,
    clockJumpDetector: new ClockJumpDetector(clock),
    log: silentLog,
    folder,
    [Symbol.dispose]() {
      void identity.close();
      home.close();
    },
  };
}
