/** Writes of many lines: jobs, and their reports. */
import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import { actorId, anonymous, metadataScopes, type DocumentGrant } from "../../authorization.ts";
import { AppError, notFound } from "../../errors.ts";
import type { LineSpool } from "../../files/line-spool.ts";
import type { Home } from "../../home/home.ts";
import type { Documents, Job, JobDefinition } from "../../hosts/documents.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { JobReport } from "../../wire/tables/jobs.ts";
import type { Deliverer } from "../../webhooks/deliverer.ts";
import { guardDocument, guardSignedIn, requireReachedTable, systemGrant } from "../access/guards.ts";
import { requireScope } from "../access/key-limits.ts";
import { actorOfEarlierRequest } from "../accounts/actors.ts";
import { claimsOf, endUserOfClaims } from "../tokens/end-users.ts";
import type { Context } from "../context.ts";
import { formatJobId, newJobId } from "./job-ids.ts";
import { JobRunner, type JobRunnerOptions } from "./job-runner.ts";

export type { Job };

/** Lines of a transaction. */
export const LINES_PER_TRANSACTION = 1000;
/** Maximum number of lines of a job that is one transaction. */
export const MAX_ATOMIC_LINES = 100_000;
/** A transaction ends with the line that exceeds this size. */
const PART_BYTES = 4 * 1024 ** 2;

const compress = promisify(zstdCompress);

/** A caller's write of many lines. */
export type LineWrite = Pick<JobDefinition, "table" | "method" | "query" | "onError" | "atomic">;

/**
 * Stores the lines in the document and starts a job that applies them. Resolves when they are durable.
 * @throws AppError `unauthenticated` for callers without an account, and as the document refuses
 */
export async function startJob(
  ctx: Context,
  grant: DocumentGrant,
  spool: LineSpool,
  write: LineWrite,
): Promise<JobReport> {
  const actor = grant.actor.kind === "endUser" ? grant.actor : guardSignedIn(grant.actor).actor;
  if (write.atomic && spool.lines > MAX_ATOMIC_LINES) {
    throw new AppError("limit.exceeded", `With atomic, a request can have at most ${MAX_ATOMIC_LINES} lines`);
  }
  const { documents, jobs, log } = ctx;
  const definition: JobDefinition = {
    ...write,
    lines: spool.lines,
    keyId: actor.keyId ?? null,
    ...(actor.kind === "endUser" && { endUser: claimsOf(actor) }),
    request: grant.request,
  };
  const id = newJobId();
  const received = jobs.receive(grant.uuid, id);
  try {
    await documents.call(grant, "jobs.add", { id, definition });
    let part = 0;
    for await (const { firstLine, bytes } of spool.parts({ maxLines: LINES_PER_TRANSACTION, maxBytes: PART_BYTES })) {
      await documents.call(grant, "jobs.addPart", { id, part: part++, firstLine, lines: await compress(bytes) });
    }
    const job = await documents.call(grant, "jobs.begin", { id });
    // Whatever the durability of single changes: the caller does not send the lines again.
    await documents.flush(grant);
    log.info("job.started", {
      document: grant.uuid,
      job: id,
      user: actor.kind === "user" ? actor.userId : null,
      lines: spool.lines,
    });
    return reportOf(grant.uuid, job);
  } catch (error) {
    const own = systemGrant(ctx.home, grant.uuid);
    // If this fails, the job is discarded as incomplete later.
    if (own) await documents.call(own, "jobs.discard", { id }).catch(() => {});
    throw error;
  } finally {
    received();
  }
}

/** Returns the caller's jobs in a document, newest first. */
export async function listJobs({ documents }: Context, grant: DocumentGrant): Promise<JobReport[]> {
  const jobs = await documents.call(grant, "jobs.list", null);
  return jobs
    .filter(({ status, definition }) => status !== "receiving" && isReached(grant, definition))
    .map((job) => reportOf(grant.uuid, job));
}

const isReached = ({ tables }: DocumentGrant, { table }: JobDefinition): boolean => tables?.includes(table) ?? true;

/** Returns a job of the caller. @throws AppError `notFound` */
export async function describeJob(ctx: Context, grant: DocumentGrant, id: string): Promise<JobReport> {
  const job = await ctx.documents.call(grant, "jobs.get", { id });
  if (job.status === "receiving" || !isReached(grant, job.definition)) throw notFound("Job not found", "job.not_found");
  // A document that was in the trash when the server started has no runner yet.
  if (job.endedAt === null) ctx.jobs.wake(grant.uuid);
  return reportOf(grant.uuid, job);
}

/** Cancels a job of the caller, if it has not ended; committed lines stay. @throws AppError `notFound` */
export async function cancelJob(ctx: Context, grant: DocumentGrant, id: string): Promise<JobReport> {
  await describeJob(ctx, grant, id);
  const own = systemGrant(ctx.home, grant.uuid);
  if (own) await ctx.documents.call(own, "jobs.cancel", { id });
  return describeJob(ctx, grant, id);
}

interface JobRunnerParts extends Pick<JobRunnerOptions, "timers" | "log"> {
  readonly documents: Documents;
  readonly home: Home;
  readonly webhooks: Pick<Deliverer, "wake">;
  /** True on a node of a cluster. */
  readonly isShared: boolean;
  readonly contextOf: () => Context;
}

/** Creates the runner of a server's jobs. */
export const createJobRunner = ({
  home,
  documents,
  webhooks,
  isShared,
  contextOf,
  ...parts
}: JobRunnerParts): JobRunner =>
  new JobRunner({
    ...parts,
    documents,
    grantOf: (uuid) => systemGrant(home, uuid),
    exists: (uuid) => home.reach.document(uuid, { userId: actorId(anonymous), domain: null }) !== null,
    async authorize(uuid, { owner, keyId, endUser, request, table }) {
      const ctx = contextOf();
      await ctx.cluster?.freshHome();
      const actor = endUser ? endUserOfClaims(ctx, endUser) : actorOfEarlierRequest(ctx, owner, keyId);
      for (const scope of ["records:write", ...metadataScopes(table, true)] as const) requireScope(actor, scope);
      const grant = guardDocument(ctx, actor, { kind: "personal" }, uuid, "editors", { request, tables: "part" });
      requireReachedTable(grant, table);
      return grant;
    },
    // In a cluster, the log knows which documents have work that is due.
    markDue(uuid) {
      const grant = isShared ? null : systemGrant(home, uuid);
      if (grant) home.webhooks.markDue(grant.documentId);
    },
    due: () => (isShared ? [] : home.webhooks.due()),
    candidates: () => (isShared ? [] : home.documents.allUuids()),
    isUnclean: (uuid) => documents.hasUncleanShutdown(uuid),
    onIdle: (uuid) => webhooks.wake(uuid),
  });

/** Returns a job as its owner sees it. */
export const reportOf = (uuid: string, { id, status, createdAt, endedAt, definition, progress }: Job): JobReport => ({
  id: formatJobId(uuid, id),
  docId: uuid,
  tableId: definition.table,
  method: definition.method,
  status: status === "receiving" ? "waiting" : status,
  atomic: definition.atomic,
  onError: definition.onError,
  lines: definition.lines,
  processed: progress.processed,
  skipped: progress.skipped,
  lastLine: progress.lastLine,
  errors: progress.errors.map((error) => ({ ...error })),
  createdAt: isoTime(createdAt),
  endedAt: endedAt === null ? null : isoTime(endedAt),
});
