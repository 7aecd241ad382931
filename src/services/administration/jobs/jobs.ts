/** Background jobs of the installation, for administrators. */
import type { UserGrant } from "../../../authorization.ts";
import { type AppError, invalid, notFound } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { guardAdmin, systemGrant } from "../../access/guards.ts";
import { recordAudit } from "../../audit/record-audit.ts";
import type { Context } from "../../context.ts";
import { startBackup } from "../backups.ts";
import { type AdminJob, adminJobId, plainJob } from "./admin-job.ts";
import { listDocumentJobs } from "./document-jobs.ts";

export type { AdminJob };

export interface AdminJobList {
  /** Failed ones first. */
  readonly jobs: readonly AdminJob[];
  /** True in a cluster, where other nodes have documents open. */
  readonly isPartial: boolean;
}

const MAX_EMAILS = 200;

/**
 * Returns the jobs that run, wait or have failed. For administrators; on the owner of the home database.
 * @throws AppError `forbidden`
 */
export async function listAllJobs(ctx: Context, grant: UserGrant): Promise<AdminJobList> {
  guardAdmin(grant, "view this page");
  const jobs = [...listBackup(ctx), ...listImports(ctx), ...listEmails(ctx), ...(await listDocumentJobs(ctx))];
  return { jobs: jobs.toSorted((a, b) => rankOf(a) - rankOf(b)), isPartial: ctx.cluster !== null };
}

/** Returns the number of failed jobs. @throws AppError `forbidden` */
export const countFailed = ({ jobs }: AdminJobList): number =>
  jobs.filter(({ state }) => state === "failed" || state === "retrying").length;

const STATES: readonly AdminJob["state"][] = ["failed", "retrying", "running", "waiting", "cancelled"];
const rankOf = ({ state }: AdminJob): number => STATES.indexOf(state);

/**
 * Cancels a job; what is committed stays.
 * @throws AppError `forbidden`; `notFound` for a job that has ended; `invalid` for one that cannot be cancelled
 */
export async function cancelAnyJob(ctx: Context, grant: UserGrant, id: string): Promise<void> {
  guardAdmin(grant, "cancel jobs of other users");
  const { home, uploads, documents } = ctx;
  const [kind, rest] = splitId(id);
  const { actor } = grant;
  const record = (userId: number | null) =>
    recordAudit(ctx, { event: "job.cancelled", actor, ...(userId !== null && { userId }), details: { kind } });
  if (kind === "email") {
    return home.transaction(() => {
      if (!home.emails.list(Number.MAX_SAFE_INTEGER).some((email) => String(email.id) === rest)) throw jobNotFound();
      home.emails.remove(Number(rest));
      record(null);
    });
  }
  if (kind === "import") {
    const found = uploads.imports().find(({ uploadId }) => String(uploadId) === rest);
    if (!found || !uploads.cancelImports(found.uploadId)) throw jobNotFound();
    return home.transaction(() => record(found.userId));
  }
  if (kind === "lines") {
    const [uuid, job] = [rest.slice(0, UUID_LENGTH), rest.slice(UUID_LENGTH + 1)];
    const own = systemGrant(home, uuid);
    const found = own && (await documents.call(own, "jobs.summaries", null)).find((each) => each.id === job);
    if (!own || !found || found.endedAt !== null) throw jobNotFound();
    await documents.call(own, "jobs.cancel", { id: job });
    return home.transaction(() => record(found.owner === 0 ? null : found.owner));
  }
  throw notPossible();
}

/**
 * Makes the next attempt of a job due now.
 * @throws AppError `forbidden`; `notFound` for a job that has ended; `invalid` for one that cannot be repeated
 */
export function retryJob(ctx: Context, grant: UserGrant, id: string): void {
  guardAdmin(grant, "retry jobs");
  const [kind, rest] = splitId(id);
  if (kind === "backup") return startBackup(ctx, grant);
  if (kind !== "email") throw notPossible();
  if (!/^\d{1,15}$/.test(rest) || !ctx.home.transaction(() => ctx.home.emails.retryNow(Number(rest))))
    throw jobNotFound();
}

const UUID_LENGTH = 36;

/** Splits an id at the first hyphen. */
function splitId(id: string): [kind: string, rest: string] {
  const at = id.indexOf("-");
  return at < 0 ? [id, ""] : [id.slice(0, at), id.slice(at + 1)];
}

const jobNotFound = (): AppError => notFound("The job does not exist, or has ended", "job.not_found");
const notPossible = (): AppError => invalid("This is not possible for a job of this kind");

function listBackup({ backups }: Context): AdminJob[] {
  const { place, isRunning, lastSuccess, lastFailure, nextAt } = backups.status();
  if (place === null) return [];
  const failure = lastFailure && lastFailure.at > (lastSuccess?.at ?? 0) ? lastFailure : null;
  return [
    plainJob({
      id: adminJobId("backup"),
      kind: "backup",
      state: isRunning ? "running" : failure ? "failed" : "waiting",
      subject: place,
      endedAt: failure && isoTime(failure.at),
      nextAt: nextAt === null ? null : isoTime(nextAt),
      error: failure?.error ?? null,
      canRetry: !isRunning,
    }),
  ];
}

const listImports = ({ uploads, home }: Context): AdminJob[] =>
  uploads.imports().map(({ uploadId, userId, progress }) =>
    plainJob({
      id: adminJobId("import", uploadId),
      kind: "import",
      state: "running",
      user: home.users.byId(userId)?.displayEmail ?? null,
      progress: progress && { done: progress.done, total: progress.total },
      canCancel: true,
    }),
  );

const listEmails = ({ home, email }: Context): AdminJob[] =>
  home.emails.list(MAX_EMAILS).map(({ id, recipient, createdAt, attempts, nextAttemptAt, lastError }) =>
    plainJob({
      id: adminJobId("email", id),
      kind: "email",
      state: attempts > 0 ? "retrying" : "waiting",
      subject: recipient,
      createdAt: isoTime(createdAt),
      attempts,
      nextAt: email.isOn ? isoTime(nextAttemptAt) : null,
      error: lastError,
      canCancel: true,
      canRetry: email.isOn,
    }),
  );
