import type { DocumentGrant } from "../../authorization.ts";
import type { GroupColumn, MeasureRequest } from "../../doc/aggregate/aggregate-plan.ts";
import { aggregateChunks } from "../../doc/aggregate/aggregate-rows.ts";
import { MEASURES } from "../../doc/aggregate/measures.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { parseFilterValue } from "../../doc/filters/parse-filter.ts";
import type { ReadTable } from "../../doc/read/read-table.ts";
import { checkLimit, compileQuery } from "../../doc/read/row-query.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import { AppError } from "../../errors.ts";
import { wellFormed } from "../../lib/text/well-formed.ts";
import { parseJson, validate } from "../../payload.ts";
import { AggregateBody } from "../../wire/tables/aggregate.ts";
import { LargeResponse, renderFile, type Rendered } from "./render.ts";
import { verb } from "./verb.ts";

interface AggregateArgs {
  /** Table id, or its numeric reference as digits; includes metadata tables. */
  readonly table: string;
  /** JSON that matches `AggregateBody`. */
  readonly body: Uint8Array | null;
}

/** Verbs that compute values over many rows. */
export const aggregateVerbs = {
  "records.aggregate": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: aggregateRecords }),
};

const MAX_MEASURES = 50;

function aggregateRecords(document: OpenDocument, grant: DocumentGrant, args: AggregateArgs): Rendered {
  const body = validate(AggregateBody, wellFormed(parseJson(args.body)), "body");
  return renderFile(document, grant, {}, (source) => {
    const visibility = visibilityFor(document, grant);
    const visibleTable = visibility.readTable(args.table);
    if (document.handsOffLargeReads && isLarge(document, visibleTable.table)) throw new LargeResponse();
    const request = {
      groupBy: (body.groupBy ?? []).map((group): GroupColumn =>
        typeof group === "string" ? { column: group } : group,
      ),
      measures: measuresOf(body.measures ?? { count: "count" }),
      sort: body.sort ?? [],
      limit: checkLimit(body.limit ?? 0),
      totals: body.totals ?? false,
      subtotals: body.subtotals ?? false,
      recordOrder: body.recordOrder ?? false,
      maxValues: body.maxValues ?? null,
    };
    const query = compileQuery(document, visibleTable, parseFilterValue(body.filter));
    return aggregateChunks(visibility, source, { ...query, visibleTable, request });
  });
}

/** Reading more rows takes longer than changes should wait. */
const LARGE_ROWS = 100_000;

/** Whether a table may have many rows: ids are not used again, so that it may also have few. */
function isLarge({ db }: OpenDocument, { from, isStored }: ReadTable): boolean {
  if (!isStored) return false;
  const [row] = db.values(`select max(id) from ${from}`);
  return Number(row?.[0] ?? 0) > LARGE_ROWS;
}

function measuresOf(measures: Readonly<Record<string, string | object>>): MeasureRequest[] {
  const entries = Object.entries(measures);
  if (entries.length > MAX_MEASURES)
    throw new AppError("aggregate.invalid", `measures must have at most ${MAX_MEASURES} entries`);
  return entries.flatMap(([name, measure]): MeasureRequest[] =>
    typeof measure === "string"
      ? [{ name, measure: "count", column: null }]
      : MEASURES.flatMap((kind) => {
          const column: unknown = Reflect.get(measure, kind);
          return typeof column === "string" ? [{ name, measure: kind, column }] : [];
        }),
  );
}
