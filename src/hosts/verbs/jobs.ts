import { zstdDecompressSync } from "node:zlib";
import { type Actor, actorId, type DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import {
  isUnfinished,
  type Job,
  type JobDefinition,
  type JobPart,
  type JobProgress,
  JobTables,
} from "../../doc/jobs/jobs.ts";
import { findReadTable } from "../../doc/read/read-table.ts";
import { AppError, notFound } from "../../errors.ts";
import { type Line, linesOf } from "../../lib/text/json-lines.ts";
import { applyAtOnce, applyLines } from "./job-lines.ts";
import { isAboutLines, lineErrorOf } from "./line-errors.ts";
import { verb } from "./verb.ts";
import { upsertOptionsOf } from "./writes.ts";

export type { Job, JobDefinition, LineError } from "../../doc/jobs/jobs.ts";

interface JobArgs {
  readonly id: string;
}

interface AddJobArgs extends JobArgs {
  readonly definition: JobDefinition;
}

interface AddPartArgs extends JobArgs, JobPart {
  readonly part: number;
}

interface FailArgs extends JobArgs {
  readonly code: string;
  readonly error: string;
}

/** The job to continue with, and its owner. */
export type NextJob = Pick<Job, "id" | "owner"> & Pick<JobDefinition, "keyId" | "endUser" | "request" | "table">;

/** What an administrator sees of a job, who may not read the document. */
export interface JobSummary extends Pick<Job, "id" | "owner" | "status" | "createdAt" | "endedAt"> {
  readonly lines: number;
  readonly processed: number;
  /** The code of the error that ended it, or of the last line that was skipped; null for none. */
  readonly errorCode: string | null;
}

/** How long jobs are listed after their end. */
const RETENTION_MS = 24 * 3_600_000;
/** Maximum number of jobs of a user that have not ended, per document. */
const MAX_UNFINISHED = 5;
/** Maximum number of listed errors. */
const MAX_ERRORS = 1000;
/** When lines fail, so that they are applied a few at a time, a transaction ends after this time. */
const MAX_STEP_MS = 250;

/** Verbs for writing many lines. They belong to callers, and neither show nor change rows, except for `jobs.step`. */
export const jobVerbs = {
  "jobs.add": verb({ needs: "editors", changes: "none", underRules: "unaffected", run: addJob }),
  "jobs.addPart": verb({ needs: "editors", changes: "none", underRules: "unaffected", run: addPart }),
  "jobs.begin": verb({ needs: "editors", changes: "none", underRules: "unaffected", run: beginJob }),
  "jobs.list": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    run: ({ db, clock }: OpenDocument, grant: DocumentGrant, _args: null): readonly Job[] =>
      (JobTables.find(db)?.listOf(ownerOf(grant.actor)) ?? []).filter(
        (job) => isOwn(job, grant.actor) && isListed(job, clock.now()),
      ),
  }),
  "jobs.get": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    run: (document: OpenDocument, grant: DocumentGrant, { id }: JobArgs): Job => ownJob(document, grant, id),
  }),
  /** For administrators: all jobs of the document, without tables, lines and messages, which are its content. */
  "jobs.summaries": verb({
    needs: "owners",
    reads: "snapshot",
    changes: "none",
    run: ({ db, clock }: OpenDocument, _grant: DocumentGrant, _args: null): readonly JobSummary[] =>
      (JobTables.find(db)?.listAll() ?? [])
        .filter((job) => job.status !== "receiving" && isListed(job, clock.now()))
        .map(summaryOf),
  }),
  /** Applies the next lines of a job as its owner. Returns true while there are more. */
  "jobs.step": verb({ needs: "editors", changes: "content", underRules: "enforced", run: stepJob }),
  /** For the server: the job to continue with; null if all have ended. Discards jobs that were not received completely. */
  "jobs.next": verb({ needs: "owners", changes: "none", run: nextJob }),
  /** For the server: ends a job, if it has not ended. */
  "jobs.cancel": verb({ needs: "owners", changes: "none", run: cancelJob }),
  "jobs.fail": verb({ needs: "owners", changes: "none", run: failJob }),
  /** For the server: removes a job that was not received completely. */
  "jobs.discard": verb({
    needs: "owners",
    changes: "none",
    run: ({ db }: OpenDocument, _grant: DocumentGrant, { id }: JobArgs) =>
      db.transaction(() => JobTables.find(db)?.remove(id)),
  }),
};

const summaryOf = ({ id, owner, status, createdAt, endedAt, definition, progress }: Job): JobSummary => ({
  id,
  owner,
  status,
  createdAt,
  endedAt,
  lines: definition.lines,
  processed: progress.processed,
  errorCode: progress.errors.at(-1)?.code ?? null,
});

function addJob(document: OpenDocument, grant: DocumentGrant, { id, definition }: AddJobArgs): void {
  const { db, clock } = document;
  // The same refusals as for fewer lines.
  findReadTable(document.schema, definition.table);
  if (definition.method === "upsert") upsertOptionsOf(definition.query);
  const owner = ownerOf(grant.actor);
  const nowMs = clock.now();
  db.transaction(() => {
    // The internal tables are created with the first job.
    if (!JobTables.find(db)) document.invalidateSchema();
    const jobs = JobTables.ensure(db);
    jobs.removeEndedBefore(nowMs - RETENTION_MS);
    if (jobs.unfinished().filter((job) => isOwn(job, grant.actor)).length >= MAX_UNFINISHED) {
      throw new AppError("limit.jobs", `You have ${MAX_UNFINISHED} jobs in this document; wait until one has ended`, {
        retryAfterS: 5,
      });
    }
    jobs.add(id, { owner, nowMs, definition });
  });
}

function addPart(document: OpenDocument, grant: DocumentGrant, { id, ...part }: AddPartArgs): void {
  document.db.transaction(() => {
    ownJob(document, grant, id);
    JobTables.find(document.db)?.addPart(id, part);
  });
}

function beginJob(document: OpenDocument, grant: DocumentGrant, { id }: JobArgs): Job {
  return document.db.transaction(() => {
    const job = ownJob(document, grant, id);
    JobTables.find(document.db)?.setStatus(id, "waiting");
    return { ...job, status: "waiting" };
  });
}

/** @throws AppError `notFound` also if it belongs to another user */
function ownJob({ db, clock }: OpenDocument, grant: DocumentGrant, id: string): Job {
  const job = JobTables.find(db)?.get(id);
  if (!job || !isOwn(job, grant.actor) || !isListed(job, clock.now())) {
    throw notFound("Job not found", "job.not_found");
  }
  return job;
}

/** End users have no user id: their jobs belong to the email address in the definition. */
const END_USER_ID = 0;

const ownerOf = (actor: Actor): number => (actor.kind === "endUser" ? END_USER_ID : actorId(actor));

const isOwn = ({ owner, definition }: Job, actor: Actor): boolean =>
  owner === ownerOf(actor) && (actor.kind !== "endUser" || definition.endUser?.email === actor.email);

const isListed = ({ endedAt }: Job, nowMs: number): boolean => endedAt === null || endedAt >= nowMs - RETENTION_MS;

function nextJob(
  { db, clock }: OpenDocument,
  _grant: DocumentGrant,
  { receiving }: { readonly receiving: readonly string[] },
): NextJob | null {
  const jobs = JobTables.find(db);
  if (!jobs) return null;
  const unfinished = jobs.unfinished();
  const abandoned = unfinished.filter(({ id, status }) => status === "receiving" && !receiving.includes(id));
  if (abandoned.length > 0) db.transaction(() => abandoned.forEach(({ id }) => jobs.remove(id)));
  if (unfinished.length === 0) db.transaction(() => jobs.removeEndedBefore(clock.now() - RETENTION_MS));
  const next = unfinished.find(({ status }) => status !== "receiving");
  if (!next) return null;
  const { keyId, endUser, request, table } = next.definition;
  return { id: next.id, owner: next.owner, keyId, request, table, ...(endUser && { endUser }) };
}

function cancelJob(document: OpenDocument, _grant: DocumentGrant, { id }: JobArgs): void {
  endJob(document, id, (jobs) => jobs.end(id, { status: "cancelled", nowMs: document.clock.now() }));
}

function failJob(document: OpenDocument, _grant: DocumentGrant, { id, code, error }: FailArgs): void {
  endJob(document, id, (jobs, { progress }) => {
    const errors = [...progress.errors, { line: null, code, error }];
    jobs.setProgress(id, { ...progress, errors });
    jobs.end(id, { status: "failed", nowMs: document.clock.now() });
  });
}

function endJob({ db }: OpenDocument, id: string, end: (jobs: JobTables, job: Job) => void): void {
  db.transaction(() => {
    const jobs = JobTables.find(db);
    const job = jobs?.get(id);
    if (jobs && job && isUnfinished(job)) end(jobs, job);
  });
}

/** Lines and progress are committed together: after a crash, the job continues at the next line. */
function stepJob(document: OpenDocument, grant: DocumentGrant, { id }: JobArgs): boolean {
  const { db, clock } = document;
  return db.transaction(() => {
    const jobs = JobTables.find(db);
    const job = jobs?.get(id);
    if (!jobs || !job || !isUnfinished(job) || !isOwn(job, grant.actor)) return false;
    const nowMs = clock.now();
    const [part, ...later] = jobs.partNumbers(id);
    if (part === undefined) {
      jobs.end(id, { status: "completed", nowMs });
      return false;
    }
    if (job.definition.atomic) {
      const { status, progress } = applyAll(document, grant, { jobs, job, parts: [part, ...later] });
      jobs.setProgress(id, progress);
      jobs.end(id, { status, nowMs });
      return false;
    }
    const { progress, isPartDone, isStopped } = applyPart(document, grant, { jobs, job, part });
    jobs.setProgress(id, progress);
    if (isStopped) {
      jobs.end(id, { status: "failed", nowMs });
      return false;
    }
    if (isPartDone) jobs.removePart(id, part);
    if (isPartDone && later.length === 0) {
      jobs.end(id, { status: "completed", nowMs });
      return false;
    }
    jobs.setStatus(id, "running");
    return true;
  });
}

interface PartToApply {
  readonly jobs: JobTables;
  readonly job: Job;
  readonly part: number;
}

function applyPart(document: OpenDocument, grant: DocumentGrant, { jobs, job, part }: PartToApply) {
  const { definition, progress } = job;
  const lines = readPart(jobs, job.id, part).filter(({ number }) => number > progress.lastLine);
  const startMs = document.clock.elapsed();
  const isOverdue = () => document.clock.elapsed() - startMs > MAX_STEP_MS;
  const { processed, errors, isStopped } = applyLines(document, grant, { definition, lines, isOverdue });
  const next: JobProgress = {
    processed: progress.processed + processed,
    skipped: progress.skipped + (isStopped ? 0 : errors.length),
    lastLine: processed === 0 ? progress.lastLine : (lines[processed - 1]?.number ?? progress.lastLine),
    errors: [...progress.errors, ...errors].slice(0, MAX_ERRORS),
  };
  return { progress: next, isPartDone: processed === lines.length, isStopped };
}

interface PartsToApply extends Omit<PartToApply, "part"> {
  readonly parts: readonly number[];
}

function applyAll(
  document: OpenDocument,
  grant: DocumentGrant,
  { jobs, job, parts }: PartsToApply,
): Pick<Job, "status" | "progress"> {
  const { definition, progress, id } = job;
  let lastLine = 0;
  const readParts = function* (): Generator<readonly Line[]> {
    for (const part of parts) {
      const lines = readPart(jobs, id, part);
      lastLine = lines.at(-1)?.number ?? lastLine;
      yield lines;
    }
  };
  try {
    applyAtOnce(document, grant, { definition, parts: readParts() });
    return { status: "completed", progress: { ...progress, processed: definition.lines, lastLine } };
  } catch (error) {
    if (!isAboutLines(error)) throw error;
    const line = error.details?.["line"];
    const lineError = lineErrorOf(error, typeof line === "number" ? line : null);
    return { status: "failed", progress: { ...progress, errors: [lineError] } };
  }
}

const decoder = new TextDecoder();

function readPart(jobs: JobTables, id: string, part: number): Line[] {
  const found = jobs.part(id, part);
  return found ? linesOf(decoder.decode(zstdDecompressSync(found.lines)), found.firstLine) : [];
}
