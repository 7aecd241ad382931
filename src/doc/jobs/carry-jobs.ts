import { Database } from "../../sqlite/database.ts";
import { renewCounter } from "../change-counter.ts";
import { hasTable } from "../migrations/stored-tables.ts";
import { type Job, JobTables } from "./jobs.ts";

const REPLACED = {
  line: null,
  code: "document.replaced",
  error: "The document was replaced or restored before the job had ended",
} as const;

/**
 * Puts the jobs of the file `from` into the file `to`, which replaces it. Unfinished jobs fail: their lines
 * were written for the former content. Jobs whose lines are still being received are left out, and so refuse the rest.
 * Neither file may be open for writing.
 * @returns the jobs that failed
 */
export function carryJobs(from: string, to: string, nowMs: number): Job[] {
  using former = new Database(from);
  const jobs = JobTables.find(former)?.listAll() ?? [];
  if (jobs.length === 0) return [];
  using db = new Database(to);
  return db.transaction(() => {
    if (hasTable(db, "_quern_jobs")) db.exec("drop table _quern_jobs; drop table _quern_job_lines");
    const tables = JobTables.ensure(db);
    const failed: Job[] = [];
    for (const job of jobs) {
      if (job.status === "receiving") continue;
      tables.add(job.id, { ...job, nowMs: job.createdAt });
      const { progress, endedAt } = job;
      const isUnfinished = endedAt === null;
      tables.setProgress(job.id, isUnfinished ? { ...progress, errors: [...progress.errors, REPLACED] } : progress);
      tables.end(job.id, isUnfinished ? { status: "failed", nowMs } : { status: job.status, nowMs: endedAt });
      if (isUnfinished) failed.push(job);
    }
    renewCounter(db);
    return failed;
  });
}
