/** Jobs of documents: writes of many records, queues of webhooks, transfers of attachments. */
import { AppError } from "../../../errors.ts";
import type { DocumentGrant } from "../../../authorization.ts";
import type { JobSummary, WebhookListing } from "../../../hosts/documents.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { systemGrant } from "../../access/guards.ts";
import type { Context } from "../../context.ts";
import { type AdminJob, adminJobId, plainJob } from "./admin-job.ts";

/** More documents with jobs at the same time are not looked at: each may have to be opened. */
const MAX_DOCUMENTS = 200;

/** Returns the jobs of the documents that this server has, or may open. */
export async function listDocumentJobs(ctx: Context): Promise<AdminJob[]> {
  const nextAt = new Map(ctx.webhooks.activeDocuments().map((active) => [active.uuid, active.nextAt]));
  const due = ctx.cluster === null ? ctx.home.webhooks.due() : [];
  const uuids = [...new Set([...ctx.jobs.documents(), ...nextAt.keys(), ...due])].slice(0, MAX_DOCUMENTS);
  const jobs: AdminJob[] = listTransfers(ctx);
  for (const uuid of uuids) {
    const grant = systemGrant(ctx.home, uuid);
    if (grant) jobs.push(...(await jobsOf(ctx, grant, nextAt.get(uuid) ?? null)));
  }
  return jobs;
}

async function jobsOf(ctx: Context, grant: DocumentGrant, nextAt: number | null): Promise<AdminJob[]> {
  try {
    const lines = await ctx.documents.call(grant, "jobs.summaries", null);
    const hooks = ctx.home.webhooks.has(grant.uuid) ? await ctx.documents.call(grant, "webhooks.list", null) : [];
    return [
      ...lines.filter(({ status }) => status !== "completed").map((job) => lineJob(ctx, grant, job)),
      ...hooks.filter(({ usage }) => usage.numWaiting > 0).map((hook) => webhookJob(ctx, grant, { hook, nextAt })),
    ];
  } catch (error) {
    // Another node has the document, or it cannot be opened, which the page of errors shows.
    if (error instanceof AppError) return [];
    throw error;
  }
}

const documentOf = ({ home }: Context, { documentId, uuid }: DocumentGrant): AdminJob["document"] => ({
  uuid,
  name: home.documents.byId(documentId)?.name ?? "",
});

function lineJob(ctx: Context, grant: DocumentGrant, job: JobSummary): AdminJob {
  const { status, endedAt } = job;
  return plainJob({
    id: adminJobId("lines", grant.uuid, job.id),
    kind: "lines",
    state: status === "receiving" || status === "completed" ? "waiting" : status,
    document: documentOf(ctx, grant),
    user: ctx.home.users.byId(job.owner)?.displayEmail ?? null,
    createdAt: isoTime(job.createdAt),
    endedAt: endedAt === null ? null : isoTime(endedAt),
    // Messages may quote the content of the document.
    error: job.errorCode,
    progress: { done: job.processed, total: job.lines },
    canCancel: endedAt === null,
  });
}

function webhookJob(
  ctx: Context,
  grant: DocumentGrant,
  { hook: { id, usage }, nextAt }: { readonly hook: WebhookListing; readonly nextAt: number | null },
): AdminJob {
  const { status, numWaiting, lastEventBatch, lastHttpStatus, lastFailureTime, lastSuccessTime } = usage;
  const isFailing = (lastFailureTime ?? 0) > (lastSuccessTime ?? 0);
  return plainJob({
    id: adminJobId("webhook", grant.uuid, id),
    kind: "webhook",
    state: WEBHOOK_STATES[status],
    document: documentOf(ctx, grant),
    subject: hostOf(ctx.home.webhooks.find(grant.documentId, id)?.url ?? ""),
    attempts: lastEventBatch?.attempts ?? null,
    nextAt: nextAt === null ? null : isoTime(nextAt),
    // What a receiver answers may contain the content of the document.
    error: isFailing ? (lastHttpStatus ? `HTTP ${lastHttpStatus}` : "no answer") : null,
    progress: { done: 0, total: numWaiting },
  });
}

const WEBHOOK_STATES = {
  idle: "waiting",
  sending: "running",
  retrying: "retrying",
  postponed: "retrying",
  error: "failed",
  invalid: "failed",
} as const satisfies Record<WebhookListing["usage"]["status"], AdminJob["state"]>;

/** The rest of an address may contain a secret. */
const hostOf = (url: string): string | null => URL.parse(url)?.host ?? null;

const listTransfers = (ctx: Context): AdminJob[] =>
  ctx.transfers.running().flatMap(({ uuid, transfer: { pending, successes, failures } }) => {
    const grant = systemGrant(ctx.home, uuid);
    if (!grant) return [];
    const done = successes + failures;
    return [
      plainJob({
        id: adminJobId("transfer", uuid),
        kind: "transfer",
        state: "running",
        document: documentOf(ctx, grant),
        progress: { done, total: done + pending },
      }),
    ];
  });
