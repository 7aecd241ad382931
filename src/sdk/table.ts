import { type LiveListener, subscribe, type SubscribeOptions, type Subscription } from "./live.ts";
import type { AggregateAnswer, AggregateOptions, GroupItem, Measures } from "./types/aggregate.ts";
import type { DryRunReport, UpsertedIds } from "./types/answers.ts";
import type { Filter, SortKey } from "./types/filter.ts";
import type { ExpandPath, FieldPath, Projection } from "./types/projection.ts";
import type { ProjectionOptions, QuernRecord } from "./types/records.ts";
import type { CellFormat, ColumnName, RequiredFields, WrittenFields } from "./types/schema.ts";
import type { Transport, WriteRequestOptions } from "./transport.ts";

export interface GetOptions<
  Path extends string,
  Expand extends string,
  Format extends CellFormat,
> extends ProjectionOptions<Path, Expand, Format> {
  /** Read the document as it was at a state or a time. */
  readonly at?: number | string;
}

export interface PageOptions<
  S,
  T extends keyof S,
  Path extends string,
  Expand extends string,
  Format extends CellFormat,
> extends GetOptions<Path, Expand, Format> {
  readonly filter?: Filter<S, T>;
  readonly sort?: SortKey<S, T> | readonly SortKey<S, T>[];
  /** The maximum number of records; of a page in `pages`. */
  readonly limit?: number;
}

export interface ListOptions<
  S,
  T extends keyof S,
  Path extends string,
  Expand extends string,
  Format extends CellFormat,
> extends PageOptions<S, T, Path, Expand, Format> {
  readonly offset?: number;
  /** Return the number of all matching records as `total`. */
  readonly total?: boolean;
  /** `start` for the first page, then `next` of the page before. */
  readonly cursor?: string;
}

export interface List<Fields> {
  records: QuernRecord<Fields>[];
  /** With `total`. */
  total?: number;
  /** With `cursor`: the cursor of the next page; null on the last one. */
  next?: string | null;
}

export interface WriteOptions extends WriteRequestOptions {
  /** Store texts without parsing them by the type of the column. */
  readonly noparse?: boolean;
  /** Answer with the ids of the written records, with the records as they are then, or with nothing. */
  readonly return?: "ids" | "records" | "none";
  /** Change nothing, and report what the change would do. */
  readonly dryrun?: boolean;
}

export interface UpsertOptions extends WriteOptions {
  /** Which records to update if several match. Default: the first. */
  readonly onmany?: "first" | "none" | "all";
  readonly noadd?: boolean;
  readonly noupdate?: boolean;
  readonly allow_empty_require?: boolean;
}

export interface FilterWriteOptions extends WriteOptions {
  /** The maximum number of records that the filter may select. Default: 1000. */
  readonly maxRows?: number;
}

export type DeleteOptions = Omit<WriteOptions, "noparse" | "return">;

type Row<S, T extends keyof S> = QuernRecord<Projection<S, T, never, never, "normal">>;

/** The answer of a write. */
export type Written<S, T extends keyof S, Options, Default> = Options extends { dryrun: true }
  ? DryRunReport
  : Options extends { return: "records" }
    ? Row<S, T>[]
    : Options extends { return: "ids" }
      ? number[]
      : Options extends { return: "none" }
        ? null
        : Default;

interface UpsertedRecord<S, T extends keyof S> {
  /** The values to look for. */
  require: RequiredFields<S, T>;
  fields?: WrittenFields<S, T>;
}

interface ChangedRecord<S, T extends keyof S> {
  id: number;
  fields: WrittenFields<S, T>;
}

/** Longer addresses are refused by some proxies: the parameters are then sent as a body. */
const MAX_QUERY_LENGTH = 1500;

/** A table of a document. Creating one sends no request. */
export class Table<S, T extends keyof S> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, path: string) {
    this.#transport = transport;
    this.#path = path;
  }

  /** Returns the records that a filter selects, or all. */
  async list<
    const Path extends FieldPath<S, T> = never,
    const Expand extends ExpandPath<S, T> = never,
    const Format extends CellFormat = "normal",
  >(options: ListOptions<S, T, Path, Expand, Format> = {}): Promise<List<Projection<S, T, Path, Expand, Format>>> {
    const { filter, sort, limit, offset, total, cursor, hidden, at, cellFormat, fields, expand, signal } = options;
    const sorts = typeof sort === "string" ? [sort] : (sort as readonly string[] | undefined);
    const query = {
      filter: filter && JSON.stringify(filter),
      sort: sorts?.join(","),
      ...projectionQuery(options),
      limit,
      offset,
      total,
      cursor,
      at,
    };
    const isLong = [query.filter, query.sort, query.fields].join("").length > MAX_QUERY_LENGTH;
    // The body has neither `offset` nor `total`.
    if (!isLong || offset !== undefined || total) return this.#transport.json("GET", this.#path, { query, signal });
    const json = { filter, sort: sorts, fields, expand, limit, cursor, hidden, cellFormat };
    return this.#transport.json("POST", `${this.#path}/list`, { json, query: { at }, signal });
  }

  /** Returns the pages of a list, each when the loop asks for it. Records that do not change meanwhile occur once. */
  async *pages<
    const Path extends FieldPath<S, T> = never,
    const Expand extends ExpandPath<S, T> = never,
    const Format extends CellFormat = "normal",
  >(
    options: PageOptions<S, T, Path, Expand, Format> = {},
  ): AsyncGenerator<QuernRecord<Projection<S, T, Path, Expand, Format>>[], void, undefined> {
    let cursor: string | null | undefined = "start";
    while (typeof cursor === "string") {
      const page: List<Projection<S, T, Path, Expand, Format>> = await this.list({ ...options, cursor });
      yield page.records;
      cursor = page.next;
    }
  }

  /** Returns one record. @throws QuernError `record.not_found` */
  get<
    const Path extends FieldPath<S, T> = never,
    const Expand extends ExpandPath<S, T> = never,
    const Format extends CellFormat = "normal",
  >(
    id: number,
    options: GetOptions<Path, Expand, Format> = {},
  ): Promise<QuernRecord<Projection<S, T, Path, Expand, Format>>> {
    const { at, signal } = options;
    const query = { ...projectionQuery(options), at };
    return this.#transport.json("GET", `${this.#path}/${id}`, { query, signal });
  }

  /**
   * Returns the records that a filter selects, or all, and keeps them current until `unsubscribe`: `onChange` gets them first
   * and after each change, also by other users.
   */
  subscribe<
    const Path extends FieldPath<S, T> = never,
    const Expand extends ExpandPath<S, T> = never,
    const Format extends CellFormat = "normal",
  >(
    options: SubscribeOptions<S, T, Path, Expand, Format> = {},
    onChange?: LiveListener<Projection<S, T, Path, Expand, Format>>,
  ): Subscription<Projection<S, T, Path, Expand, Format>> {
    const { filter, signal } = options;
    const query = { filter: filter && JSON.stringify(filter), ...projectionQuery(options) };
    return subscribe(this.#transport, `${this.#path}/live`, { query, signal }, onChange);
  }

  /** Adds records, and returns their ids. */
  create<const Options extends WriteOptions = object>(
    records: readonly WrittenFields<S, T>[],
    options?: Options,
  ): Promise<Written<S, T, Options, number[]>> {
    const json = { records: records.map((fields) => ({ fields })) };
    return this.#write("POST", json, options, idsOf);
  }

  /** Changes records by their ids. All records must have the same fields. */
  update<const Options extends WriteOptions = object>(
    records: readonly ChangedRecord<S, T>[],
    options?: Options,
  ): Promise<Written<S, T, Options, null>> {
    return this.#write("PATCH", { records }, options);
  }

  /** Gives all records that a filter selects the same values. */
  updateWhere<const Options extends FilterWriteOptions = object>(
    filter: Filter<S, T>,
    fields: WrittenFields<S, T>,
    options?: Options,
  ): Promise<Written<S, T, Options, null>> {
    const query = { filter: JSON.stringify(filter), maxRows: options?.maxRows };
    return this.#write("PATCH", { fields }, options, undefined, query);
  }

  /** Updates the record that has the required values, or adds one with them. */
  upsert<const Options extends UpsertOptions = object>(
    records: readonly UpsertedRecord<S, T>[],
    options?: Options,
  ): Promise<Written<S, T, Options, UpsertedIds>> {
    const { onmany, noadd, noupdate, allow_empty_require } = (options ?? {}) as UpsertOptions;
    return this.#write("PUT", { records }, options, undefined, { onmany, noadd, noupdate, allow_empty_require });
  }

  /** Deletes records. Ids that do not exist are ignored. */
  delete<const Options extends DeleteOptions = object>(
    ids: readonly number[],
    options?: Options,
  ): Promise<Written<S, T, Options, null>> {
    return this.#delete(ids, options);
  }

  /** Deletes all records that a filter selects. */
  deleteWhere<const Options extends DeleteOptions & { readonly maxRows?: number } = object>(
    filter: Filter<S, T>,
    options?: Options,
  ): Promise<Written<S, T, Options, null>> {
    return this.#delete({ filter, maxRows: options?.maxRows }, options);
  }

  /** Computes measures over records, in groups. */
  aggregate<
    const Groups extends readonly GroupItem<ColumnName<S, T>>[] = [],
    const Named extends Measures<S, T> = { count: "count" },
  >(options: AggregateOptions<S, T, Groups, Named> = {}): Promise<AggregateAnswer<S, T, Groups, Named>> {
    const { signal, at, ...json } = options;
    return this.#transport.json("POST", this.#path.replace(/records$/, "aggregate"), { json, query: { at }, signal });
  }

  #delete<Answer>(json: unknown, options: DeleteOptions = {}): Promise<Answer> {
    const { dryrun, signal, idempotencyKey } = options;
    return this.#transport.json("POST", `${this.#path}/delete`, { json, query: { dryrun }, signal, idempotencyKey });
  }

  async #write<Answer>(
    method: string,
    json: unknown,
    options: WriteOptions = {},
    defaultOf: (answer: { records: { id: number }[] }) => unknown = (answer) => answer,
    query: Readonly<Record<string, string | number | boolean | undefined>> = {},
  ): Promise<Answer> {
    const { noparse, dryrun, return: returned, signal, idempotencyKey } = options;
    const answer = await this.#transport.json<{ records: { id: number }[] }>(method, this.#path, {
      json,
      query: { noparse, dryrun, return: returned, ...query },
      signal,
      idempotencyKey,
    });
    if (dryrun || returned === "none") return answer as Answer;
    if (returned === "records") return answer.records as Answer;
    return (returned === "ids" ? idsOf(answer) : defaultOf(answer)) as Answer;
  }
}

const projectionQuery = ({ fields, expand, cellFormat, hidden }: ProjectionOptions<string, string, CellFormat>) => ({
  fields: fields?.join(","),
  expand: expand?.join(","),
  cellFormat,
  hidden,
});

const idsOf = ({ records }: { records: { id: number }[] }): number[] => records.map(({ id }) => id);
