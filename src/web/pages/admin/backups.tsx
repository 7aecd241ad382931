import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { startBackup, describeBackups, type BackupOverview } from "../../../services/administration/backups.ts";
import type { PageContext } from "../../base/page-context.ts";
import { Badge, EmptyState, Name, Note, ShortName, TimeElement } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { pageTexts, renderPage, useTexts, type PageTexts } from "../../base/page-texts.tsx";
import { formatSize } from "../../base/sizes.ts";
import { AdminPage, withAdmin, MAX_RESULTS, type AdminPageContext } from "./layout.tsx";

export async function showBackups(visit: AdminPageContext, problem?: AppError): Promise<Response> {
  const { c, grant } = visit;
  const overview = await describeBackups(c.env.call.ctx, grant);
  return renderPage(
    c,
    <AdminPage visit={visit} tab="admin.tab.backups" problem={problem && errorPageText(pageTexts(c), problem)}>
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

const NoBackupTarget: FC = () => {
  const t = useTexts();
  return (
    <EmptyState title={t("admin.backups.none")} icon="copy">
      <p>
        {t.rich("admin.backups.noneText", {
          setting: <code translate="no">QUERN_BACKUP_TO</code>,
          command: <code translate="no">quern backup --to PLACE</code>,
        })}
      </p>
    </EmptyState>
  );
};

const Status: FC<{ overview: BackupOverview }> = ({ overview: { status, listError } }) => {
  const t = useTexts();
  const { isRunning, lastSuccess, lastFailure, nextAt, place, everyMs, keep } = status;
  const hasFailed = lastFailure !== null && lastFailure.at > (lastSuccess?.at ?? 0);
  const interval = formatInterval(t, everyMs);
  return (
    <section class="card" aria-labelledby="status-title">
      <h2 id="status-title">{t("admin.backups.schedule")}</h2>
      {hasFailed && (
        <Note text={<>{t.rich("admin.backups.failed", { error: <Name text={lastFailure.error} /> })}</>} problem />
      )}
      {listError !== null && (
        <Note text={<>{t.rich("admin.backups.listFailed", { error: <Name text={listError} /> })}</>} problem />
      )}
      <dl>
        <dt>{t("admin.backups.target")}</dt>
        <dd translate="no">{place}</dd>
        <dt>{t("admin.backups.interval")}</dt>
        <dd>
          {keep === 0 ? t("admin.backups.keepAll", { interval }) : t("admin.backups.keepNewest", { interval, keep })}
        </dd>
        <dt>{t("admin.backups.last")}</dt>
        <dd>{lastSuccess === null ? t("admin.backups.never") : <LastSuccess {...lastSuccess} />}</dd>
        <dt>{t("admin.backups.next")}</dt>
        <dd>{isRunning || nextAt === null ? t("admin.backups.afterThis") : <TimeElement at={isoTime(nextAt)} />}</dd>
      </dl>
      <div>
        {isRunning && (
          <>
            <p data-announce>{t("admin.backups.running")}</p>
            <progress aria-label={t("admin.backups.progress")} />
          </>
        )}
      </div>
      {!isRunning && (
        <form method="post" action="/admin/backups">
          <button>{t("admin.backups.start")}</button>
        </form>
      )}
    </section>
  );
};

const LastSuccess: FC<{ at: number; addedBytes: number | null }> = ({ at, addedBytes }) => {
  const t = useTexts();
  const time = <TimeElement at={isoTime(at)} />;
  if (addedBytes === null) return time;
  return <>{t.rich("admin.backups.lastWithSize", { time, size: formatSize(t, addedBytes) })}</>;
};

const RestorePoints: FC<{ overview: BackupOverview; place: string }> = ({ overview: { backups }, place }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="points-title">
      <h2 id="points-title">{t("admin.backups.points")}</h2>
      {backups.length === 0 ? (
        <p class="quiet">{t("admin.backups.noPoints")}</p>
      ) : (
        <>
          <ul class="entries">
            {backups.slice(0, MAX_RESULTS).map(({ name, createdAt, documents, sizeBytes, problems, damage }) => (
              <li>
                <div class="what">
                  <span class="name">
                    {createdAt === null ? <Name text={name} /> : <TimeElement at={createdAt} as="time" />}
                  </span>
                  {problems > 0 && <Badge text={t("admin.backups.problems", { count: problems })} kind="danger" />}
                  {damage !== null && <Badge text={t("admin.backups.damaged")} kind="danger" />}
                  <small>
                    {damage === null ? (
                      t.rich("admin.backups.documents", { name: <ShortName text={name} />, count: documents })
                    ) : (
                      <Name text={damage} />
                    )}
                  </small>
                </div>
                {damage === null && <span class="amount">{formatSize(t, sizeBytes)}</span>}
              </li>
            ))}
          </ul>
          <p class="quiet">{t("admin.backups.restore")}</p>
          <pre
            tabindex={0}
            translate="no"
          >{`quern restore --from ${quoteForShell(place)} --backup ${backups[0]?.name ?? ""} --data FOLDER`}</pre>
        </>
      )}
    </section>
  );
};

/** As one word of a shell command. */
const quoteForShell = (text: string): string =>
  /^[\w/.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

function formatInterval(t: PageTexts, ms: number): string {
  const units = [
    ["admin.backups.everyDays", 86_400_000],
    ["admin.backups.everyHours", 3_600_000],
    ["admin.backups.everyMinutes", 60_000],
  ] as const;
  const [key, size] = units.find(([, each]) => ms % each === 0) ?? (["admin.backups.everySeconds", 1000] as const);
  return t(key, { count: ms / size });
}
