import type { Child, FC } from "hono/jsx";
import { isoTime } from "../../lib/clock.ts";
import { sizeText } from "../../lib/sizes.ts";
import { describeServer, type ServerOverview } from "../../services/administration.ts";
import { describeBackups, type BackupOverview } from "../../services/backups.ts";
import { listTroubles } from "../../services/troubles.ts";
import { Time } from "../parts.tsx";
import { AdminPage, type AdminVisit } from "./frame.tsx";

/** The first page: how the server fares. */
export async function showOverview(visit: AdminVisit): Promise<Response> {
  const { c, grant } = visit;
  const { ctx, config } = c.env.call;
  const server = await describeServer(ctx, grant, config.data);
  const backups = await describeBackups(ctx, grant);
  const troubles = listTroubles(ctx, grant).length;
  return c.html(
    <AdminPage visit={visit} tab="Overview">
      <div class="figures">
        <Figure title="Version" value={server.version}>
          started <Time at={isoTime(server.startedAt)} />
        </Figure>
        <Figure title="Users" value={String(server.people)} to="/admin/users" />
        <Figure title="Documents" value={String(server.documents)} to="/admin/documents">
          {sizeText(server.documentBytes)} in files, {server.openDocuments} open
        </Figure>
        <Figure title="Recent errors" value={String(troubles)} to="/admin/errors">
          warnings and errors since the start
        </Figure>
        <Figure title="Last backup" value={<LastBackup backups={backups} />} to="/admin/backups" />
        <Figure title="Memory" value={sizeText(server.memoryBytes)}>
          <Threads server={server} />
        </Figure>
        {server.disk && (
          <Figure title="Free on the disk" value={sizeText(server.disk.freeBytes)}>
            of {sizeText(server.disk.sizeBytes)}
          </Figure>
        )}
      </div>
    </AdminPage>,
  );
}

const Figure: FC<{ title: string; value: Child; to?: string; children?: Child }> = ({ title, value, to, children }) => (
  <section class="card figure">
    <h2>{to ? <a href={to}>{title}</a> : title}</h2>
    <p class="value">{value}</p>
    {children && <p class="quiet">{children}</p>}
  </section>
);

const LastBackup: FC<{ backups: BackupOverview }> = ({ backups: { status } }) => {
  if (status.place === null) return <>none are made</>;
  if (status.isRunning) return <>being made</>;
  return status.lastSuccess ? <Time at={isoTime(status.lastSuccess.at)} /> : <>none yet</>;
};

const Threads: FC<{ server: ServerOverview }> = ({ server: { threads, documentThreads } }) => (
  <>
    {threads !== null && `${threads} threads, `}
    {documentThreads} of documents
  </>
);
