import type { DocumentGrant } from "../../authorization.ts";
import { sha256Hex } from "../../lib/ids.ts";
import type { OpenDocument } from "../document.ts";
import { currentDay } from "../filters/compile-filter.ts";
import { type Filter, parseFilter } from "../filters/parse-filter.ts";
import { outputChunks } from "../read/output/output-chunks.ts";
import type { OutputRequest } from "../read/output/output-request.ts";
import { compileQuery, selectRows } from "../read/row-query.ts";
import type { Selection } from "../read/row-scan.ts";
import { seesEverything, visibilityFor, type VisibilityFilter, type VisibleTable } from "../read/visibility-filter.ts";
import { allOf } from "../filters/sql-condition.ts";
import { idsCondition } from "../read/index-reads.ts";
import { type QueryReads, queryReads } from "./query-reads.ts";
import { readRows, type ReadRows, RESULT_LIMITS } from "./result-rows.ts";

/** A query whose result is followed. */
export interface LiveQuery {
  /** Table id, or its numeric reference as digits; includes metadata tables. */
  readonly table: string;
  /** As in the query string of a read. */
  readonly filter?: string | undefined;
  readonly output: OutputRequest;
}

/** Returns a text that is equal for callers who read the same in the same state of a document: empty without rules. */
export const rightsOf = ({ readerKey }: VisibilityFilter): string => (readerKey === "" ? "" : sha256Hex(readerKey));

/** A live query in the present state of a document, for one caller. */
export class PresentQuery {
  readonly document: OpenDocument;
  readonly reads: QueryReads;
  readonly table: string;
  readonly isMetadata: boolean;
  /** True if rules hide anything of the document from the caller. */
  readonly isRestricted: boolean;
  /** As `rightsOf`. */
  readonly rights: string;
  /** The day that dates such as `today` depend on; null if the filter has none. */
  readonly day: number | null;
  readonly #filter: Filter | null;
  readonly #output: OutputRequest;
  readonly #visibility: VisibilityFilter;
  readonly #visible: VisibleTable;

  /** @throws AppError as reads of records: `notFound`, `forbidden`, `invalid` */
  constructor(document: OpenDocument, grant: DocumentGrant, query: LiveQuery) {
    this.document = document;
    this.#visibility = visibilityFor(document, grant);
    this.#visible = this.#visibility.readTable(query.table);
    this.#filter = parseFilter(query.filter);
    this.#output = query.output;
    this.table = this.#visible.table.id;
    this.isMetadata = !document.schema.tableById.has(this.table);
    this.isRestricted = !seesEverything(this.#visibility.rules);
    this.rights = rightsOf(this.#visibility);
    this.reads = queryReads(document, this.#visible, { filter: this.#filter, output: this.#output });
    this.day = this.reads.dependsOnDay ? currentDay(document) : null;
  }

  /** Equal for queries with equal results for equal rights. */
  static keyOf({ table, filter, output }: LiveQuery): string {
    const { hidden, cells, fields, expand } = output;
    return sha256Hex(JSON.stringify([table, parseFilter(filter)?.key ?? null, hidden, cells, fields, expand]));
  }

  /** Reads the whole result. @throws AppError `tooLarge` */
  readAll(seed: bigint): ReadRows {
    const limit = RESULT_LIMITS.rows + 1;
    return this.#read(selectRows(this.document, this.#visible, { filter: this.#filter, sort: [], limit }), seed);
  }

  /** Reads those of some rows that belong to the result. */
  readSome(ids: readonly number[], seed: bigint): ReadRows {
    const { where, visibleRows } = compileQuery(this.document, this.#visible, this.#filter);
    return this.#read(
      {
        where: allOf([where, idsCondition(ids)]),
        order: { kind: "id", descending: false },
        limit: Number.POSITIVE_INFINITY,
        visibleRows,
      },
      seed,
    );
  }

  /** @throws AppError `invalid` for what only a read finds out */
  check(): void {
    compileQuery(this.document, this.#visible, this.#filter);
    outputChunks(this.#visibility, { db: this.document.db }, this.#visible, {
      output: this.#output,
      selection: selectRows(this.document, this.#visible, { filter: null, sort: [], limit: 1 }),
    });
  }

  #read(selection: Selection, seed: bigint): ReadRows {
    const source = { db: this.document.db };
    const options = { output: this.#output, selection, lines: true };
    return readRows(outputChunks(this.#visibility, source, this.#visible, options), seed);
  }
}
