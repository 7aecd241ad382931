import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { formatCount, formatBytes } from "../../../lib/text/formatting.ts";
import { startBackup, describeBackups, type BackupOverview } from "../../../services/administration/backups.ts";
import type { PageContext } from "../../base/page-context.ts";
import { Badge, EmptyState, StatusMessage, TimeElement } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { AdminPage, withAdmin, MAX_RESULTS, type AdminPageContext } from "./layout.tsx";

export async function showBackups(visit: AdminPageContext, problem?: AppError): Promise<Response> {
  const { c, grant } = visit;
  const overview = await describeBackups(c.env.call.ctx, grant);
  return c.html(
    <AdminPage visit={visit} tab="Backups" problem={problem && errorPageText(problem)}>
      {/* The page's script refreshes this part while a backup is running. */}
      <div id="backups" {...(overview.status.isRunning && { "data-running": "" })}>
        {overview.status.place === null ? <NoBackupTarget /> : <Status overview={overview} />}
        {overview.status.place !== null && <RestorePoints overview={overview} place={overview.status.place} />}
      </div>
    </AdminPage>,
    problem ? errorPageStatus(c, problem) : 200,
  );
}

export const startBackupNow = (c: PageContext) =>
  withAdmin(c, (visit) => {
    try {
      startBackup(c.env.call.ctx, visit.grant);
      return c.redirect("/admin/backups", 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return showBackups(visit, error);
    }
  });

const NoBackupTarget: FC = () => (
  <EmptyState title="No scheduled backups" icon="copy">
    <p>
      Set <code>QUERN_BACKUP_TO</code> to a folder or a bucket and restart it, or run{" "}
      <code>quern backup --to PLACE</code> from a timer or cron job.
    </p>
  </EmptyState>
);

const Status: FC<{ overview: BackupOverview }> = ({ overview: { status, listError } }) => {
  const { isRunning, lastSuccess, lastFailure, nextAt, place, everyMs, keep } = status;
  const hasFailed = lastFailure !== null && lastFailure.at > (lastSuccess?.at ?? 0);
  return (
    <section class="card" aria-labelledby="status-title">
      <h2 id="status-title">Schedule</h2>
      {hasFailed && <StatusMessage text={`The last backup failed: ${lastFailure.error}`} problem />}
      {listError !== null && <StatusMessage text={`Listing the backups failed: ${listError}`} problem />}
      <dl>
        <dt>Target</dt>
        <dd>{place}</dd>
        <dt>Interval</dt>
        <dd>
          {formatInterval(everyMs)}, {keep === 0 ? "all are kept" : `the newest ${keep} are kept`}
        </dd>
        <dt>Last</dt>
        <dd>
          {lastSuccess ? <TimeElement at={isoTime(lastSuccess.at)} /> : "Never"}
          {lastSuccess && lastSuccess.addedBytes !== null && `, ${formatBytes(lastSuccess.addedBytes)} new`}
        </dd>
        <dt>Next</dt>
        <dd>{isRunning || nextAt === null ? "after this one" : <TimeElement at={isoTime(nextAt)} />}</dd>
      </dl>
      <div role="status">
        {isRunning && (
          <>
            <p>A backup is running.</p>
            <progress aria-label="Backup" />
          </>
        )}
      </div>
      {!isRunning && (
        <form method="post" action="/admin/backups">
          <button>Back up now</button>
        </form>
      )}
    </section>
  );
};

const RestorePoints: FC<{ overview: BackupOverview; place: string }> = ({ overview: { backups }, place }) => (
  <section class="card" aria-labelledby="points-title">
    <h2 id="points-title">Restore points</h2>
    {backups.length === 0 ? (
      <p class="quiet">No backups yet.</p>
    ) : (
      <>
        <ul class="entries">
          {backups.slice(0, MAX_RESULTS).map(({ name, createdAt, documents, sizeBytes, problems, damage }) => (
            <li>
              <div class="what">
                <span class="name">{createdAt === null ? name : <TimeElement at={createdAt} as="time" />}</span>
                {problems > 0 && (
                  <Badge
                    text={formatCount(problems, "document with problems", "documents with problems")}
                    kind="danger"
                  />
                )}
                {damage !== null && <Badge text="Damaged" kind="danger" />}
                <small>{damage ?? `${name} · ${formatCount(documents, "document", "documents")}`}</small>
              </div>
              {damage === null && <span class="amount">{formatBytes(sizeBytes)}</span>}
            </li>
          ))}
        </ul>
        <p class="quiet">To restore a backup into an empty folder, run:</p>
        <pre
          tabindex={0}
        >{`quern restore --from ${quoteForShell(place)} --backup ${backups[0]?.name ?? ""} --data FOLDER`}</pre>
      </>
    )}
  </section>
);

/** As one word of a shell command. */
const quoteForShell = (text: string): string =>
  /^[\w/.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

function formatInterval(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const;
  const [unit, size] = units.find(([, each]) => ms % each === 0) ?? ["second", 1000];
  const amount = ms / size;
  return amount === 1 ? `every ${unit}` : `every ${amount} ${unit}s`;
}
