import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { dataChunks } from "../../doc/read/data-chunks.ts";
import { listColumns, listTables } from "../../doc/read/listings.ts";
import { outputChunks } from "../../doc/read/output/output-chunks.ts";
import { parseFilter, parseFilterValue } from "../../doc/filters/parse-filter.ts";
import { invalid } from "../../errors.ts";
import { type CursorArgs, selectRecords } from "../../doc/read/pages/page-query.ts";
import { checkLimit, parseLimit, parseOffset, selectRows } from "../../doc/read/row-query.ts";
import { parseSort, sortByPosition, splitSort } from "../../doc/read/parse-sort.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import type { ReadTable } from "../../doc/read/read-table.ts";
import { describeTypes } from "../../doc/types/describe-types.ts";
import { attributeUsers } from "../../doc/rules/attribute-users.ts";
import { RecordsListBody } from "../../wire/tables/records.ts";
import { wellFormed } from "../../lib/text/well-formed.ts";
import { parseJson, validate } from "../../payload.ts";
import { cellsOf, type OutputArgs, outputRequest } from "./output-args.ts";
import { type ConditionalArgs, renderChunks, renderValue, type Rendered } from "./render.ts";
import { verb } from "./verb.ts";

interface ListTablesArgs extends ConditionalArgs {
  readonly expandColumns: boolean;
}

interface RowLimitsArgs {
  /** Table id. */
  readonly table: string;
}

interface ListColumnsArgs extends ConditionalArgs {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
  readonly hidden: boolean;
}

/** All as in the query string; empty strings count as absent. */
interface FetchDataArgs extends ConditionalArgs {
  /** Table id, or its numeric reference as digits; includes metadata tables. */
  readonly table: string;
  /** A JSON object whose values are lists. */
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly typed: boolean;
}

interface FetchRecordsArgs extends FetchDataArgs, OutputArgs, CursorArgs {
  readonly hidden: boolean;
  /** Include the total number of matching rows. */
  readonly total?: boolean;
  /** NDJSON: one record per line. */
  readonly lines?: boolean;
}

interface ListRecordsArgs extends ConditionalArgs, Pick<CursorArgs, "cursorKey"> {
  readonly lines?: boolean;
  readonly table: string;
  /** JSON that matches `RecordsListBody`. */
  readonly body: Uint8Array | null;
}

/** Verbs that read rows, schema and access rules. */
export const readVerbs = {
  "tables.list": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document, grant, args: ListTablesArgs) =>
      renderValue(document, grant, args, () => ({ tables: listTables(visibilityFor(document, grant).tables(), args) })),
  }),
  "columns.list": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document, grant, args: ListColumnsArgs) =>
      renderValue(document, grant, args, () => ({
        columns: listColumns(visibilityFor(document, grant).userTable(args.table), args),
      })),
  }),
  "tables.rowLimits": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    // Whether rules decide for each row, not whether they hide one: the answer says nothing about the rows.
    run: (document, grant, args: RowLimitsArgs) => {
      const visibility = visibilityFor(document, grant);
      const { id } = visibility.readTable(args.table).table;
      const isUserTable = document.schema.tableById.has(id);
      return {
        hasRowRules: isUserTable && (visibility.rules?.table(id).hidesRows ?? false),
        mayChangeColumns: (visibility.rules?.structure ?? "allow") === "allow",
      };
    },
  }),
  "tables.types": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document, grant, args: ConditionalArgs) =>
      renderValue(document, grant, args, () => describeTypes(visibilityFor(document, grant).tables())),
  }),
  "records.fetch": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: fetchRecords }),
  "records.list": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: listRecords }),
  "data.fetch": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: fetchData }),
  "rules.attributeUsers": verb({
    needs: "owners",
    reads: "snapshot",
    changes: "none",
    run: (document, _grant, _args: null) => attributeUsers(document),
  }),
};

function fetchRecords(document: OpenDocument, grant: DocumentGrant, args: FetchRecordsArgs): Rendered {
  return renderChunks(document, grant, args, (source) => {
    const visibility = visibilityFor(document, grant);
    const visible = visibility.readTable(args.table);
    const { table } = visible;
    const output = outputRequest({ ...args, ...(args.typed && { cellFormat: "typed" }) });
    const query = { ...queryOf(document, table, args), total: args.total ?? false, output };
    const { cursor, cursorKey } = args;
    refuseLines(args, cursor);
    const { selection, tail } = selectRecords(document, visible, { ...query, cursor, cursorKey });
    return outputChunks(visibility, source, visible, { output, selection, tail, lines: args.lines });
  });
}

function listRecords(document: OpenDocument, grant: DocumentGrant, args: ListRecordsArgs): Rendered {
  return renderChunks(document, grant, args, (source) => {
    const body = validate(RecordsListBody, wellFormed(parseJson(args.body)), "body");
    const visibility = visibilityFor(document, grant);
    const visible = visibility.readTable(args.table);
    const { table } = visible;
    const { hidden = false, fields = null, expand = [], cellFormat, cursor } = body;
    const output = { hidden, fields, expand, cells: cellsOf(cellFormat) };
    refuseLines(args, cursor);
    const { selection, tail } = selectRecords(document, visible, {
      filter: parseFilterValue(body.filter),
      sort: body.sort?.length === 0 ? sortByPosition(table) : parseSort(table, body.sort ?? [], document.timezone),
      limit: checkLimit(body.limit ?? 0),
      output,
      cursor,
      cursorKey: args.cursorKey,
    });
    return outputChunks(visibility, source, visible, { output, selection, tail, lines: args.lines });
  });
}

/** Lines have no place for the cursor of the next page. */
function refuseLines({ lines = false }: { lines?: boolean }, cursor: string | undefined): void {
  if (lines && cursor !== undefined) throw invalid("cursor cannot be used with application/x-ndjson");
}

function fetchData(document: OpenDocument, grant: DocumentGrant, args: FetchDataArgs): Rendered {
  return renderChunks(document, grant, args, (source) => {
    const visible = visibilityFor(document, grant).readTable(args.table);
    const { table } = visible;
    const selection = selectRows(document, visible, queryOf(document, table, args));
    return dataChunks(source, table, { form: args.typed ? "typed" : "coded", selection });
  });
}

const queryOf = ({ timezone }: OpenDocument, table: ReadTable, { filter, sort, limit, offset }: FetchDataArgs) => ({
  filter: parseFilter(filter),
  sort: parseSort(table, splitSort(sort), timezone),
  limit: parseLimit(limit),
  offset: parseOffset(offset),
});
