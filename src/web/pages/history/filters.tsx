import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { listDocumentAccess } from "../../../services/access/access-lists.ts";
import type { History } from "../../../wire/documents/history.ts";
import type { PageContext } from "../../base/page-context.ts";
import type { DocumentPageContext } from "../../base/page-guards.tsx";
import { Name } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { tableTitle } from "../../base/table-titles.ts";

/** Which changes a history lists, as its address says. */
export interface HistoryFilters {
  /** The present id of a table. */
  readonly table: string | undefined;
  /** Its id in the states of this page. */
  readonly formerly: string | undefined;
  /** A row of the table. */
  readonly row: number | undefined;
  readonly user: number | undefined;
  readonly before: number | null;
  readonly isFirst: boolean;
  readonly isFiltered: boolean;
  /** The people to choose from, with their ids. */
  readonly people: ReadonlyMap<number, string>;
}

export function readFilters(c: PageContext, { grant, role }: DocumentPageContext): HistoryFilters {
  const positive = (name: string): number | undefined => {
    const value = Number(c.req.query(name));
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  const text = (name: string): string | undefined => c.req.query(name)?.slice(0, 1000) || undefined;
  const before = positive("before") ?? null;
  const seesPeople = allows(role, "editors");
  const user = seesPeople ? positive("person") : undefined;
  const table = text("table");
  const row = table === undefined ? undefined : positive("row");
  const access = seesPeople ? listDocumentAccess(c.env.call.ctx, grant).users : [];
  return {
    table,
    formerly: text("formerly"),
    row,
    user,
    before,
    isFirst: before === null,
    isFiltered: table !== undefined || user !== undefined,
    people: new Map(access.map(({ id, name, email }) => [id, name || email])),
  };
}

/** Returns the query of a page with the same filters. */
export function filterQuery(
  { table, row, user }: HistoryFilters,
  { before, formerly }: { before: number | null; formerly: string | null } = { before: null, formerly: null },
): string {
  const query = new URLSearchParams();
  if (table !== undefined) query.set("table", table);
  if (row !== undefined) query.set("row", String(row));
  if (user !== undefined) query.set("person", String(user));
  if (before !== null) query.set("before", String(before));
  if (formerly !== null && formerly !== table) query.set("formerly", formerly);
  return query.size === 0 ? "" : `?${query.toString()}`;
}

interface HistoryFilterProps {
  readonly visit: DocumentPageContext;
  readonly history: History;
  readonly filters: HistoryFilters;
  readonly address: string;
  /** The text of the row; undefined if it does not exist. */
  readonly rowText: string | undefined;
}

/** Chooses a table and a person. A row is chosen on the page of its table. */
export const HistoryFilter: FC<HistoryFilterProps> = ({ visit, history, filters, address, rowText }) => {
  const t = useTexts();
  const { tables, role } = visit;
  const people = new Map(filters.people);
  // People who have lost their access since.
  for (const { user } of history.states) if (user?.id) people.set(user.id, user.name ?? user.email);
  const sorted = [...people].toSorted(([, a], [, b]) => a.localeCompare(b, t.locale));
  return (
    <form class="bar filters" method="get" action={address} aria-label={t("history.filter")}>
      {filters.row !== undefined && <ChosenRow filters={filters} rowText={rowText} />}
      <div class="field">
        <label for="filter-table">{t("history.filter.table")}</label>
        <select id="filter-table" name="table" translate="no">
          <option value="">{t("history.filter.allTables")}</option>
          {tables.map((table) => (
            <option value={table.id} selected={table.id === filters.table}>
              {tableTitle(t, table, tables)}
            </option>
          ))}
        </select>
      </div>
      {allows(role, "editors") && (
        <div class="field">
          <label for="filter-person">{t("history.filter.person")}</label>
          <select id="filter-person" name="person" translate="no">
            <option value="">{t("history.filter.allPeople")}</option>
            {sorted.map(([id, name]) => (
              <option value={id} selected={id === filters.user}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      <button class="plain">{t("history.filter.apply")}</button>
      {filters.isFiltered && (
        <a class="button plain" href={address}>
          {t("history.filter.clear")}
        </a>
      )}
    </form>
  );
};

/** Choosing another table shows all its rows. */
const ChosenRow: FC<Pick<HistoryFilterProps, "filters" | "rowText">> = ({ filters, rowText }) => {
  const t = useTexts();
  const all = filterQuery({ ...filters, row: undefined });
  return (
    <p class="chosen-row">
      {rowText === undefined
        ? t("history.filter.goneRow")
        : t.rich("history.filter.row", { row: <Name text={rowText} /> })}{" "}
      <a href={all}>{t("history.filter.allRows")}</a>
    </p>
  );
};
