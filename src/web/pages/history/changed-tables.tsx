import type { Child, FC } from "hono/jsx";
import { Icon, Name, ShortName } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import type { LabelKey } from "../../texts/texts.ts";
import type { ChangedCell, ChangedRow, ChangedTable } from "./changed-rows.ts";

/** The changed rows of tables, with old and new values side by side. */

interface ChangedTablesProps {
  readonly tables: readonly ChangedTable[];
  /** The headings of old and new values. */
  readonly sides: readonly [before: Child, after: Child];
  /** Whether the reader may restore rows, columns and cells. */
  readonly canRestore: boolean;
  /** Returns links to further rows of a table. */
  readonly paging: (table: ChangedTable) => Child;
}

export const ChangedTables: FC<ChangedTablesProps> = ({ tables, ...rest }) => (
  <>
    {tables.map((table) => (
      <Table table={table} {...rest} />
    ))}
  </>
);

const Table: FC<Omit<ChangedTablesProps, "tables"> & { table: ChangedTable }> = (props) => {
  const { table, sides, canRestore, paging } = props;
  const t = useTexts();
  const id = `table-${table.id}`;
  const restores = canRestore && table.presentId !== null;
  return (
    <div class="changed" {...(restores && { "data-table": table.presentId ?? "", "data-title": table.title })}>
      <h3 id={id}>
        {table.isDeleted ? (
          t.rich("history.deletedTable", { table: <ShortName text={table.title} /> })
        ) : (
          <Name text={table.title} />
        )}
      </h3>
      {restores && <ColumnButtons table={table} />}
      <table class="differences" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">{t("base.grid.row")}</th>
            <th scope="col">{t("history.column")}</th>
            <th scope="col">{sides[0]}</th>
            <th scope="col">{sides[1]}</th>
            {restores && (
              <th scope="col">
                <span class="unseen">{t("history.restore")}</span>
              </th>
            )}
          </tr>
        </thead>
        {table.rows.map((row) => (
          <Row row={row} table={table} restores={restores} />
        ))}
      </table>
      {paging(table)}
    </div>
  );
};

const ROW_KINDS = {
  added: "history.row.added",
  changed: "history.row.changed",
  deleted: "history.row.deleted",
} as const satisfies Record<ChangedRow["kind"], LabelKey>;

interface Line {
  readonly column: string;
  /** Its present id if the cell can be restored. */
  readonly presentColumn: string | null;
  readonly cell: ChangedCell;
}

/** Cells that differ, or of rows that are new or gone, that hold something. */
function linesOf({ cells, kind }: ChangedRow, { columns, presentColumns }: ChangedTable): Line[] {
  return cells.flatMap((cell, at) => {
    if (!cell || cell.before === cell.after || (kind !== "changed" && !cell.before && !cell.after)) return [];
    return [{ column: columns[at] ?? "", presentColumn: presentColumns[at] ?? null, cell }];
  });
}

const Row: FC<{ row: ChangedRow; table: ChangedTable; restores: boolean }> = ({ row, table, restores }) => {
  const t = useTexts();
  const lines = linesOf(row, table);
  const { title, kind } = row;
  const canRestore =
    restores && (kind === "deleted" || (kind === "changed" && lines.some(({ presentColumn }) => presentColumn)));
  const [first, ...others] = lines;
  return (
    <tbody class={kind} data-row={row.id} data-title={title ?? ""} data-kind={kind}>
      <tr>
        <th scope="rowgroup" rowspan={Math.max(lines.length, 1)}>
          {title ? <ShortName text={title} /> : t(title === null ? "history.cell.missingRow" : "history.row.untitled")}{" "}
          <span class="kind">{t(ROW_KINDS[kind])}</span>
          {canRestore && (
            <button type="button" class="plain small" data-do="restore-row">
              <Icon name="rotate-ccw" />
              {t("history.restoreRow")}
            </button>
          )}
        </th>
        {first ? (
          <Cells line={first} row={row} restores={restores} />
        ) : (
          <td colspan={restores ? 4 : 3} class="quiet">
            {t("history.noVisibleChanges")}
          </td>
        )}
      </tr>
      {others.map((line) => (
        <tr>
          <Cells line={line} row={row} restores={restores} />
        </tr>
      ))}
    </tbody>
  );
};

const Cells: FC<{ line: Line; row: ChangedRow; restores: boolean }> = ({ line, row, restores }) => {
  const t = useTexts();
  const { column, presentColumn, cell } = line;
  const label = t("history.restoreCell.label", { column, row: row.title ?? "" });
  return (
    <>
      <td class="column">
        <ShortName text={column} />
      </td>
      <Side of="before" text={cell.before} />
      <Side of="after" text={cell.after} />
      {restores && (
        <td class="actions">
          {presentColumn !== null && row.kind === "changed" && (
            <button
              type="button"
              class="bare"
              data-do="restore-cell"
              data-column={presentColumn}
              data-title={column}
              aria-label={label}
              title={label}
            >
              <Icon name="rotate-ccw" />
            </button>
          )}
        </td>
      )}
    </>
  );
};

/** Phones show the sides one below the other: the name of the side is then before its value. */
const Side: FC<{ of: "before" | "after"; text: string | null }> = ({ of, text }) => {
  const t = useTexts();
  const value = of === "before" ? <del>{text}</del> : <ins>{text}</ins>;
  return (
    <td class={of}>
      <span class="side-name" aria-hidden="true">
        {t(of === "before" ? "history.before" : "history.after")}
      </span>
      {text ? <bdi translate="no">{value}</bdi> : <span class="quiet">{t("history.cell.empty")}</span>}
    </td>
  );
};

const ColumnButtons: FC<{ table: ChangedTable }> = ({ table: { columns, presentColumns, rows } }) => {
  const t = useTexts();
  const restorable = columns.flatMap((name, at) => {
    const column = presentColumns[at];
    const isChanged = rows.some(({ kind, cells }) => kind === "changed" && cells[at]?.before !== cells[at]?.after);
    return column && isChanged ? [{ name, column }] : [];
  });
  if (restorable.length === 0) return <></>;
  return (
    <div class="bar restore-columns" role="group" aria-label={t("history.restoreColumn")}>
      <span class="quiet" aria-hidden="true">
        {t("history.restoreColumn")}
      </span>
      {restorable.map(({ name, column }) => (
        <button
          type="button"
          class="plain small"
          data-do="restore-column"
          data-column={column}
          data-title={name}
          aria-label={t("history.restoreColumn.label", { column: name })}
        >
          <ShortName text={name} />
        </button>
      ))}
    </div>
  );
};
