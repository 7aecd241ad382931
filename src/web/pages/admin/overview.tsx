import type { Child, FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import { formatBytes } from "../../../lib/text/formatting.ts";
import { describeServer, type ServerOverview } from "../../../services/administration/administration.ts";
import { describeBackups, type BackupOverview } from "../../../services/administration/backups.ts";
import { listRecentProblems } from "../../../services/administration/recent-problems.ts";
import { TimeElement } from "../../base/components.tsx";
import { AdminPage, type AdminPageContext } from "./layout.tsx";

/** The overview: state of the server. */
export async function showOverview(visit: AdminPageContext): Promise<Response> {
  const { c, grant } = visit;
  const { ctx, config } = c.env.call;
  const server = await describeServer(ctx, grant, config.data);
  const backups = await describeBackups(ctx, grant);
  const problemCount = listRecentProblems(ctx, grant).length;
  return c.html(
    <AdminPage visit={visit} tab="Overview">
      <div class="figures">
        <OverviewFigure title="Version" value={server.version}>
          started <TimeElement at={isoTime(server.startedAt)} />
        </OverviewFigure>
        <OverviewFigure title="Users" value={String(server.users)} to="/admin/users" />
        <OverviewFigure title="Documents" value={String(server.documents)} to="/admin/documents">
          {formatBytes(server.documentBytes)} in files, {server.openDocuments} open
        </OverviewFigure>
        <OverviewFigure title="Recent errors" value={String(problemCount)} to="/admin/errors">
          warnings and errors since the start
        </OverviewFigure>
        <OverviewFigure title="Last backup" value={<LastBackup backups={backups} />} to="/admin/backups" />
        <OverviewFigure title="Memory" value={formatBytes(server.memoryBytes)}>
          <Threads server={server} />
        </OverviewFigure>
        {server.disk && (
          <OverviewFigure title="Free on the disk" value={formatBytes(server.disk.freeBytes)}>
            of {formatBytes(server.disk.sizeBytes)}
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
  if (status.place === null) return <>Never</>;
  if (status.isRunning) return <>being made</>;
  return status.lastSuccess ? <TimeElement at={isoTime(status.lastSuccess.at)} /> : <>Never</>;
};

const Threads: FC<{ server: ServerOverview }> = ({ server: { threads, documentThreads } }) => (
  <>
    {threads !== null && `${threads} threads, `}
    {documentThreads} of documents
  </>
);
