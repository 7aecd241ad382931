/** Background jobs: what runs, waits or has failed. */
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { type AdminJob, cancelAnyJob, listAllJobs, retryJob } from "../../../services/administration/jobs/jobs.ts";
import { DisplayName } from "../../base/document-table.tsx";
import { Badge, EmptyState, Name, StatusMessage, TimeElement } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { pageTexts, renderPage, useTexts, type PageTexts } from "../../base/page-texts.tsx";
import { RowActions } from "../../base/row-actions.tsx";
import { ActionsHeader, AdminTable, ColumnHeader } from "./admin-table.tsx";
import { AdminPage, withAdmin, type AdminPageContext } from "./layout.tsx";

const PATH = "/admin/jobs";

export async function showJobs(visit: AdminPageContext, problem?: AppError): Promise<Response> {
  const { c, grant } = visit;
  const t = pageTexts(c);
  const { jobs, isPartial } = await listAllJobs(c.env.call.ctx, grant);
  const done = c.req.query("done");
  return renderPage(
    c,
    <AdminPage visit={visit} tab="admin.tab.jobs" problem={problem && errorPageText(t, problem)}>
      {done === "cancel" && <StatusMessage text={t("admin.jobs.cancelled")} />}
      {done === "retry" && <StatusMessage text={t("admin.jobs.retried")} />}
      <div class="admin-search">
        <p class="quiet">
          {t("admin.jobs.about")} {isPartial && t("admin.jobs.partial")}
        </p>
        <a class="button plain" href={PATH}>
          {t("admin.jobs.refresh")}
        </a>
      </div>
      {jobs.length === 0 ? (
        <EmptyState title={t("admin.jobs.none")} icon="check">
          <p>{t("admin.jobs.noneText")}</p>
        </EmptyState>
      ) : (
        <JobTable jobs={jobs} />
      )}
    </AdminPage>,
    problem ? errorPageStatus(c, problem) : 200,
  );
}

/** Cancels or retries a job. */
export const changeJob = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const { ctx } = c.env.call;
    const id = c.req.param("jobId") ?? "";
    const action = c.req.param("action") ?? "";
    try {
      if (action === "cancel") await cancelAnyJob(ctx, visit.grant, id);
      else retryJob(ctx, visit.grant, id);
      return c.redirect(`${PATH}?done=${action}`, 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return showJobs(visit, error);
    }
  });

const JobTable: FC<{ jobs: readonly AdminJob[] }> = ({ jobs }) => {
  const t = useTexts();
  return (
    <AdminTable
      label={t("admin.tab.jobs")}
      headers={
        <>
          <ColumnHeader label={t("admin.jobs.job")} />
          <ColumnHeader label={t("admin.jobs.state")} kind="short" />
          <ColumnHeader label={t("admin.jobs.progress")} kind="short" />
          <ColumnHeader label={t("admin.jobs.next")} kind="short" />
          <ActionsHeader />
        </>
      }
    >
      {jobs.map((job) => (
        <JobRow job={job} />
      ))}
    </AdminTable>
  );
};

const KIND_LABELS = {
  lines: "admin.jobs.kind.lines",
  import: "admin.jobs.kind.import",
  webhook: "admin.jobs.kind.webhook",
  email: "admin.jobs.kind.email",
  backup: "admin.jobs.kind.backup",
  transfer: "admin.jobs.kind.transfer",
} as const;

const STATE_LABELS = {
  running: "admin.jobs.state.running",
  waiting: "admin.jobs.state.waiting",
  retrying: "admin.jobs.state.retrying",
  failed: "admin.jobs.state.failed",
  cancelled: "admin.jobs.state.cancelled",
} as const;

const BADGES = { running: "good", waiting: "quiet", retrying: "danger", failed: "danger", cancelled: "quiet" } as const;

const JobRow: FC<{ job: AdminJob }> = ({ job }) => {
  const t = useTexts();
  const { kind, state, document, user, subject, createdAt, endedAt, attempts, nextAt, error } = job;
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        <span class="name">{t(KIND_LABELS[kind])}</span>
        {(document ?? subject ?? user) !== null && (
          <small>
            {document && <DisplayName name={document.name} />}
            {document && subject !== null && " · "}
            {subject !== null && <Name text={subject} />}
            {(document !== null || subject !== null) && user !== null && " · "}
            {user !== null && <Name text={user} />}
          </small>
        )}
        {createdAt !== null && (
          <small>
            {t.rich("admin.jobs.started", { time: <TimeElement at={createdAt} /> })}
            {endedAt !== null && (
              <>
                {" · "}
                {t.rich("admin.jobs.ended", { time: <TimeElement at={endedAt} /> })}
              </>
            )}
          </small>
        )}
        {error !== null && <small>{t.rich("admin.jobs.error", { error: <Name text={error} /> })}</small>}
      </th>
      <td role="cell" class="short">
        <Badge text={t(STATE_LABELS[state])} kind={BADGES[state]} />
      </td>
      <td role="cell" class="short">
        {progressText(t, job)}
        {attempts !== null && attempts > 0 && <small>{t("admin.jobs.attempts", { count: attempts })}</small>}
      </td>
      <td role="cell" class="short">
        {nextAt === null ? "–" : <TimeElement at={nextAt} />}
      </td>
      <td role="cell" class="actions">
        <JobActions job={job} />
      </td>
    </tr>
  );
};

function progressText(t: PageTexts, { kind, progress }: AdminJob): string {
  if (!progress) return "–";
  const { done, total } = progress;
  if (kind === "webhook") return t("admin.jobs.pending", { count: total ?? 0 });
  return total === null ? t.number(done) : t("admin.jobs.done", { done, total });
}

const addressOf = (id: string, action: "retry" | "cancel"): string => `${PATH}/${encodeURIComponent(id)}/${action}`;

const JobActions: FC<{ job: AdminJob }> = ({ job: { id, kind, document, subject, user, canCancel, canRetry } }) => {
  const t = useTexts();
  if (!canCancel && !canRetry) return null;
  const name = `${t(KIND_LABELS[kind])} ${document?.name ?? subject ?? user ?? ""}`.trim();
  return (
    <RowActions label={t("base.documents.actionsFor", { name })}>
      {canRetry && (
        <form method="post" action={addressOf(id, "retry")}>
          <button class="plain" aria-label={t("admin.jobs.retryFor", { job: name })}>
            {t("admin.jobs.retry")}
          </button>
        </form>
      )}
      {canCancel && (
        <form method="post" action={addressOf(id, "cancel")}>
          <button class="danger" aria-label={t("admin.jobs.cancelFor", { job: name })}>
            {t("admin.jobs.cancel")}
          </button>
        </form>
      )}
      {canCancel && <p class="hint">{t("admin.jobs.cancelHint")}</p>}
    </RowActions>
  );
};
