import type { FC } from "hono/jsx";
import type { PageContext } from "../../base/page-context.ts";
import { useTexts } from "../../base/page-texts.tsx";
import type { ChangedTable } from "./changed-rows.ts";

/** The part of the changed rows that a page shows: the first of each table, or a page of one table. */
export interface RowRange {
  /** Null for all tables. */
  readonly table: string | null;
  readonly firstRow: number;
  /** The number of rows. */
  readonly maxRows: number;
  /** The number of rows to read: those before the page, too. */
  readonly readRows: number;
}

const FIRST_ROWS = 20;
const ROWS_PER_PAGE = 100;
const MAX_FIRST_ROW = 1_000_000;

export function readRowRange(c: PageContext): RowRange {
  const table = c.req.query("table") ?? null;
  const from = Number(c.req.query("from") ?? 0);
  const firstRow = table !== null && Number.isSafeInteger(from) && from > 0 ? Math.min(from, MAX_FIRST_ROW) : 0;
  const maxRows = table === null ? FIRST_ROWS : ROWS_PER_PAGE;
  // One more: a reading of some rows ends with the last one.
  return { table, firstRow, maxRows, readRows: firstRow + maxRows + 1 };
}

interface RowPagesProps {
  readonly table: ChangedTable;
  readonly range: RowRange;
  /** The address of the page, with a query. */
  readonly here: string;
}

export const RowPages: FC<RowPagesProps> = ({ table, range, here }) => {
  const t = useTexts();
  const { firstRow } = range;
  const address = (from: number): string =>
    `${here}${here.includes("?") ? "&" : "?"}table=${encodeURIComponent(table.id)}&from=${from}`;
  const next = range.table === null ? 0 : firstRow + ROWS_PER_PAGE;
  if (table.omittedRows === 0 && firstRow === 0) return <></>;
  return (
    <p class="bar">
      {table.omittedRows > 0 && <span class="quiet">{t("history.moreRows", { count: table.omittedRows })}</span>}
      {firstRow > 0 && (
        <a class="button plain small" href={address(Math.max(firstRow - ROWS_PER_PAGE, 0))}>
          {t("history.previousRows")}
        </a>
      )}
      {table.omittedRows > 0 && (
        <a class="button plain small" href={address(next)}>
          {t(range.table === null ? "history.showMore" : "history.nextRows")}
        </a>
      )}
    </p>
  );
};
