import type { Child, FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import { describeServer, type ServerOverview } from "../../../services/administration/administration.ts";
import { describeBackups, type BackupOverview } from "../../../services/administration/backups.ts";
import { listRecentProblems } from "../../../services/administration/recent-problems.ts";
import { AppError } from "../../../errors.ts";
import { countFailed, listAllJobs } from "../../../services/administration/jobs/jobs.ts";
import type { ClusterDescription } from "../../../services/administration/cluster-description.ts";
import { describeNodes } from "../../../services/administration/nodes.ts";
import { countUsers } from "../../../services/administration/users.ts";
import { describeEmail } from "../../../services/email/administration.ts";
import { Icon, Name, TimeElement } from "../../base/components.tsx";
import { pageTexts, renderPage, useTexts, type PageTexts } from "../../base/page-texts.tsx";
import { formatSize } from "../../base/sizes.ts";
import { AdminPage, type AdminPageContext } from "./layout.tsx";

/** The overview: state of the server. */
export async function showOverview(visit: AdminPageContext): Promise<Response> {
  const { c, grant } = visit;
  const { ctx, config } = c.env.call;
  const t = pageTexts(c);
  const server = await describeServer(ctx, grant, config.data);
  const backups = await describeBackups(ctx, grant);
  const problemCount = listRecentProblems(ctx, grant).length;
  const failedJobs = countFailed(await listAllJobs(ctx, grant));
  const email = describeEmail(ctx, grant);
  const cluster = ctx.replication === null ? null : await readNodes(visit);
  const { withoutSecondFactor: withoutFactor } = countUsers(ctx, grant);
  return renderPage(
    c,
    <AdminPage visit={visit} tab="admin.tab.overview">
      <div class="figures">
        <OverviewFigure title={t("admin.overview.version")} value={<Name text={server.version} />}>
          {t.rich("admin.overview.started", { time: <TimeElement at={isoTime(server.startedAt)} /> })}
        </OverviewFigure>
        <OverviewFigure title={t("admin.overview.users")} value={t.number(server.users)} to="/admin/users">
          {withoutFactor > 0 && (
            <a href="/admin/users?show=withoutSecondFactor">
              {t("admin.overview.withoutFactor", { count: withoutFactor })}
            </a>
          )}
        </OverviewFigure>
        <OverviewFigure title={t("admin.overview.documents")} value={t.number(server.documents)} to="/admin/documents">
          {t("admin.overview.files", { size: formatSize(t, server.documentBytes), open: server.openDocuments })}
        </OverviewFigure>
        <OverviewFigure
          title={t("admin.overview.jobs")}
          value={t.number(failedJobs)}
          to="/admin/jobs"
          isProblem={failedJobs > 0}
        />
        <OverviewFigure title={t("admin.overview.errors")} value={t.number(problemCount)} to="/admin/errors">
          {t("admin.overview.errors.hint")}
        </OverviewFigure>
        <OverviewFigure
          title={t("admin.overview.backup")}
          value={<LastBackup backups={backups} />}
          to="/admin/backups"
          isProblem={backups.status.place === null || hasFailed(backups)}
        >
          {backups.status.place === null
            ? t("admin.overview.backup.setUp")
            : hasFailed(backups) && t("admin.overview.backup.failed")}
        </OverviewFigure>
        <OverviewFigure
          title={t("admin.overview.email")}
          value={
            email.missing === null ? t("admin.email.waiting", { count: email.waiting }) : t("admin.overview.email.off")
          }
          to="/admin/email"
          isProblem={email.lastError !== null}
        >
          {email.lastError !== null && t("admin.overview.email.failing")}
        </OverviewFigure>
        {ctx.replication !== null && <Nodes cluster={cluster} />}
        <OverviewFigure title={t("admin.overview.memory")} value={formatSize(t, server.memoryBytes)}>
          {describeThreads(t, server)}
        </OverviewFigure>
        {server.disk && (
          <OverviewFigure title={t("admin.overview.disk")} value={formatSize(t, server.disk.freeBytes)}>
            {t("admin.overview.disk.size", { size: formatSize(t, server.disk.sizeBytes) })}
          </OverviewFigure>
        )}
      </div>
    </AdminPage>,
  );
}

interface OverviewFigureProps {
  title: string;
  value: Child;
  /** The page about it. */
  to?: string;
  /** Whether an administrator has to look at it. */
  isProblem?: boolean;
  children?: Child;
}

const OverviewFigure: FC<OverviewFigureProps> = ({ title, value, to, isProblem = false, children }) => {
  const t = useTexts();
  return (
    <section class="card figure">
      <h2>{to ? <a href={to}>{title}</a> : title}</h2>
      <p class="value">
        {value}
        {isProblem && (
          <>
            {" "}
            <Icon name="triangle-alert" />
            <span class="unseen">{t("admin.overview.warning")}</span>
          </>
        )}
      </p>
      {children && <p class="quiet">{children}</p>}
    </section>
  );
};

const hasFailed = ({ status: { lastSuccess, lastFailure } }: BackupOverview): boolean =>
  lastFailure !== null && lastFailure.at > (lastSuccess?.at ?? 0);

/** Returns the nodes that share the log; null while it cannot be read, which the page of nodes explains. */
async function readNodes({ c, grant }: AdminPageContext): Promise<ClusterDescription | null> {
  try {
    return await describeNodes(c.env.call.ctx, grant);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const Nodes: FC<{ cluster: ClusterDescription | null }> = ({ cluster }) => {
  const t = useTexts();
  const alive = cluster?.nodes.filter(({ isAlive }) => isAlive).length ?? 0;
  const lost = cluster ? cluster.nodes.length - alive : 0;
  return (
    <OverviewFigure
      title={t("admin.overview.nodes")}
      value={cluster ? t.number(alive) : t("admin.overview.unknown")}
      to="/admin/nodes"
      isProblem={lost > 0 || !cluster}
    >
      {lost > 0 && t("admin.overview.lost", { count: lost })}
    </OverviewFigure>
  );
};

const LastBackup: FC<{ backups: BackupOverview }> = ({ backups: { status } }) => {
  const t = useTexts();
  if (status.place !== null && status.isRunning) return <>{t("admin.overview.backup.running")}</>;
  return status.place !== null && status.lastSuccess ? (
    <TimeElement at={isoTime(status.lastSuccess.at)} />
  ) : (
    <>{t("admin.overview.backup.never")}</>
  );
};

const describeThreads = (t: PageTexts, { threads, documentThreads }: ServerOverview): string =>
  threads === null
    ? t("admin.overview.documentThreads", { documents: documentThreads })
    : t("admin.overview.threads", { count: threads, documents: documentThreads });
