import type { Child, FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import { describeServer, type ServerOverview } from "../../../services/administration/administration.ts";
import { describeBackups, type BackupOverview } from "../../../services/administration/backups.ts";
import { listRecentProblems } from "../../../services/administration/recent-problems.ts";
import { Name, TimeElement } from "../../base/components.tsx";
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
  return renderPage(
    c,
    <AdminPage visit={visit} tab="admin.tab.overview">
      <div class="figures">
        <OverviewFigure title={t("admin.overview.version")} value={<Name text={server.version} />}>
          {t.rich("admin.overview.started", { time: <TimeElement at={isoTime(server.startedAt)} /> })}
        </OverviewFigure>
        <OverviewFigure title={t("admin.overview.users")} value={t.number(server.users)} to="/admin/users" />
        <OverviewFigure title={t("admin.overview.documents")} value={t.number(server.documents)} to="/admin/documents">
          {t("admin.overview.files", { size: formatSize(t, server.documentBytes), open: server.openDocuments })}
        </OverviewFigure>
        <OverviewFigure title={t("admin.overview.errors")} value={t.number(problemCount)} to="/admin/errors">
          {t("admin.overview.errors.hint")}
        </OverviewFigure>
        <OverviewFigure
          title={t("admin.overview.backup")}
          value={<LastBackup backups={backups} />}
          to="/admin/backups"
        />
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

const OverviewFigure: FC<{ title: string; value: Child; to?: string; children?: Child }> = ({
  title,
  value,
  to,
  children,
}) => (
  <section class="card figure">
    <h2>{to ? <a href={to}>{title}</a> : title}</h2>
    <p class="value">{value}</p>
    {children && <p class="quiet">{children}</p>}
  </section>
);

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
