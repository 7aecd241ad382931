/** The page of the audit log. Links and filters are addresses, so that a search can be sent to others. */
import type { FC } from "hono/jsx";
import { AUDIT_EVENTS } from "../../../services/audit/audit-events.ts";
import { listAudit, listAuditAfter, streamAudit } from "../../../services/audit/list-audit.ts";
import type { AuditEntry, AuditQuery } from "../../../wire/audit/audit.ts";
import { Badge, EmptyState, Name, TimeElement } from "../../base/components.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { AdminPage, Paging, type AdminPageContext } from "./layout.tsx";

const PATH = "/admin/audit";
const DOWNLOAD_PATH = `${PATH}/download`;
const ENTRIES_PER_PAGE = 50;
const DAY_MS = 24 * 3_600_000;

/** The filters as they are in the address; empty if they are not set. */
interface Filters {
  readonly event: string;
  readonly actor: string;
  /** The user whom an entry is about. */
  readonly user: string;
  /** Days, as `2026-01-31`. */
  readonly from: string;
  readonly to: string;
}

/** The entries of the audit log, the newest first. */
export async function showAudit(visit: AdminPageContext): Promise<Response> {
  const { c } = visit;
  const filters = readFilters(c);
  const { entries, older, newer } = await readPage(visit, toQuery(filters));
  const set = Object.values(filters).filter((value) => value !== "");
  const isFiltered = set.length > 0;
  const t = pageTexts(c);
  return renderPage(
    c,
    <AdminPage visit={visit} tab="admin.tab.audit">
      <details class="audit-fold">
        <summary class="button plain">
          {isFiltered ? t("admin.audit.foldCount", { count: set.length }) : t("admin.audit.fold")}
        </summary>
        <FilterForm filters={filters} isFiltered={isFiltered} />
      </details>
      {entries.length > 0 && (
        <p>
          {/* Not a form: the address has the filters. */}
          <a href={addressOf(filters, {}, DOWNLOAD_PATH)} download="">
            {t(isFiltered ? "admin.audit.downloadFiltered" : "admin.audit.download")}
          </a>
        </p>
      )}
      {entries.length === 0 ? (
        <NoEntries isFiltered={isFiltered} />
      ) : (
        <ul class="entries card audit-entries">
          {entries.map((entry) => (
            <AuditItem entry={entry} />
          ))}
        </ul>
      )}
      <Paging
        label={t("admin.audit.pages")}
        previous={newer === null ? null : addressOf(filters, { after: newer })}
        next={older === null ? null : addressOf(filters, { before: older })}
        labels={{ previous: "admin.audit.newer", next: "admin.audit.older" }}
      />
    </AdminPage>,
  );
}

/** Downloads all entries that match the filters of the page, as lines of JSON, the oldest first. */
export function downloadAudit({ c, grant }: AdminPageContext): Response {
  const body = streamAudit(c.env.call.ctx, grant, toQuery(readFilters(c)));
  return new Response(body, {
    headers: {
      "Content-Type": "application/x-ndjson",
      "Content-Disposition": 'attachment; filename="audit-log.ndjson"',
      "Cache-Control": "no-store",
    },
  });
}

interface ShownPage {
  readonly entries: readonly AuditEntry[];
  /** `before` of the page with older entries; null on the last page. */
  readonly older: number | null;
  /** `after` of the page with newer entries; null on the first page. */
  readonly newer: number | null;
}

async function readPage({ c, grant }: AdminPageContext, query: AuditQuery): Promise<ShownPage> {
  const { ctx } = c.env.call;
  const [before, after] = [numberParam(c, "before"), numberParam(c, "after")];
  if (after !== undefined) {
    const entries = await listAuditAfter(ctx, grant, { ...query, after, limit: ENTRIES_PER_PAGE + 1 });
    const shown = entries.slice(-ENTRIES_PER_PAGE);
    // Fewer would be a short first page.
    if (entries.length > ENTRIES_PER_PAGE)
      return { entries: shown, older: shown.at(-1)?.number ?? null, newer: shown[0]?.number ?? null };
  }
  const isFirst = before === undefined || after !== undefined;
  const bounds = { limit: ENTRIES_PER_PAGE, ...(!isFirst && { before }) };
  const { entries, next } = await listAudit(ctx, grant, { ...query, ...bounds });
  return { entries, older: next, newer: isFirst ? null : (entries[0]?.number ?? before - 1) };
}

function readFilters({ req }: PageContext): Filters {
  const text = (name: keyof Filters) => (req.query(name) ?? "").trim().slice(0, 300);
  const day = (name: keyof Filters) => (startOfDay(text(name)) === null ? "" : text(name));
  return { event: text("event"), actor: text("actor"), user: text("user"), from: day("from"), to: day("to") };
}

const toQuery = ({ event, actor, user, from, to }: Filters): AuditQuery => {
  const [first, last] = [startOfDay(from), startOfDay(to)];
  return {
    ...(event !== "" && { event }),
    ...(actor !== "" && { actor }),
    ...(user !== "" && { user }),
    ...(first !== null && { since: new Date(first).toISOString() }),
    ...(last !== null && { until: new Date(last + DAY_MS).toISOString() }),
  };
};

/** Returns the beginning of a day in UTC in milliseconds; null for other texts. */
function startOfDay(text: string): number | null {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

function numberParam({ req }: PageContext, name: "before" | "after"): number | undefined {
  const text = req.query(name) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const FilterForm: FC<{ filters: Filters; isFiltered: boolean }> = ({ filters, isFiltered }) => {
  const t = useTexts();
  const { event, actor, user, from, to } = filters;
  return (
    <form role="search" class="audit-filters" action={PATH} aria-label={t("admin.audit.filters")}>
      <label>
        {t("admin.audit.event")}
        <select name="event" translate="no">
          <option value="">{t("admin.audit.allEvents")}</option>
          {EVENT_FILTERS.map((name) => (
            <option value={name} selected={name === event}>
              {Object.hasOwn(AUDIT_EVENTS, name) ? name : `${name}.…`}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("admin.audit.actor")}
        <input name="actor" value={actor} maxlength={300} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        {t("admin.audit.user")}
        <input name="user" value={user} maxlength={300} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        {t("admin.audit.from")}
        <input type="date" name="from" value={from} />
      </label>
      <label>
        {t("admin.audit.to")}
        <input type="date" name="to" value={to} />
      </label>
      <div class="audit-submit">
        <button>{t("admin.audit.apply")}</button>
        {isFiltered && <a href={PATH}>{t("admin.audit.clear")}</a>}
      </div>
    </form>
  );
};

/** All events, and before them the part that several events begin with. */
const EVENT_FILTERS: readonly string[] = Object.entries(
  Object.groupBy(Object.keys(AUDIT_EVENTS), (name) => name.slice(0, name.indexOf("."))),
).flatMap(([start, names = []]) => (names.length > 1 ? [start, ...names] : names));

const NoEntries: FC<{ isFiltered: boolean }> = ({ isFiltered }) => {
  const t = useTexts();
  return isFiltered ? (
    <EmptyState title={t("admin.noResults")} />
  ) : (
    <EmptyState title={t("admin.audit.none")}>
      <p>{t("admin.audit.noneText")}</p>
    </EmptyState>
  );
};

const AuditItem: FC<{ entry: AuditEntry }> = ({ entry }) => {
  const t = useTexts();
  const { time, event, actor, keyId, address, target, details, count } = entry;
  return (
    <li>
      <div class="what">
        <span class="name" translate="no">
          {event}
        </span>
        {count > 1 && <Badge text={t("admin.audit.times", { count })} />}
        <small>
          <Name text={actor ?? t("admin.audit.unknown")} />
          {keyId !== null && ` · ${t("admin.audit.key", { key: String(keyId) })}`}
          {address !== null && (
            <>
              {" · "}
              <span translate="no">{address}</span>
            </>
          )}
          {" · "}
          {/* Last: its text becomes longer when the script shows it in the user's time zone. */}
          <TimeElement at={time} as="time" />
        </small>
      </div>
      <dl class="fields" translate="no">
        {Object.entries(target).map(([kind, { id, name }]) => (
          <Field name={kind} value={name === "" ? String(id) : name} title={String(id)} />
        ))}
        {Object.entries(details).map(([name, value]) => (
          <Field name={name} value={detailText(value)} />
        ))}
      </dl>
    </li>
  );
};

const Field: FC<{ name: string; value: string; title?: string }> = ({ name, value, title }) => (
  <>
    <dt>{name}</dt>
    <dd {...(title !== undefined && { title })}>
      <bdi>{value}</bdi>
    </dd>
  </>
);

const detailText = (value: AuditEntry["details"][string]): string =>
  Array.isArray(value) ? value.map(String).join(", ") : value === null ? "–" : String(value);

function addressOf(
  filters: Filters,
  bounds: { readonly before?: number; readonly after?: number },
  path: string = PATH,
): string {
  const params = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  for (const [name, value] of Object.entries(bounds)) params.set(name, String(value));
  return params.size === 0 ? path : `${path}?${params}`;
}
