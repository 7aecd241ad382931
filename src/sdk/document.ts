import { Attachments } from "./attachments.ts";
import type { BatchAnswer, BatchOperation, BatchResult } from "./batch.ts";
import { type DeleteOptions, Table } from "./table.ts";
import type { RequestOptions, RequestSpec, Transport } from "./transport.ts";
import type { TableName } from "./types/schema.ts";

/** A value for `?` in a statement. */
export type SqlParameter = string | number | boolean | null;

export interface SqlOptions extends RequestOptions {
  /** In milliseconds; at most the limit of the server. */
  readonly timeout?: number;
  /** Read the document as it was at a state or a time. */
  readonly at?: number | string;
}

/** A tag for templates: values are passed as parameters, and never become a part of the statement. */
type SqlTag = <Row = Record<string, unknown>>(
  statement: TemplateStringsArray,
  ...values: readonly SqlParameter[]
) => Promise<Row[]>;

/** A document. Creating one sends no request. */
export class Document<S> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly attachments: Attachments;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.#path = `docs/${encodeURIComponent(id)}`;
    this.attachments = new Attachments(transport, `${this.#path}/attachments`);
  }

  table<T extends TableName<S>>(id: T): Table<S, T> {
    return new Table(this.#transport, `${this.#path}/tables/${encodeURIComponent(id)}/records`);
  }

  /** Writes records of several tables in one transaction. */
  async batch<const Options extends DeleteOptions = object>(
    operations: readonly BatchOperation<S>[],
    options?: Options,
  ): Promise<BatchAnswer<Options>> {
    const { dryrun, signal, idempotencyKey } = (options ?? {}) as DeleteOptions;
    const spec = { json: { operations }, query: { dryrun }, signal, idempotencyKey };
    const answer = await this.#transport.json<{ results: BatchResult[] }>("POST", `${this.#path}/batch`, spec);
    return (dryrun ? answer : answer.results) as BatchAnswer<Options>;
  }

  /** Runs a statement: ``doc.sql`select * from Orders where Amount > ${minimum}` ``. */
  readonly sql: SqlTag = (statement, ...values) => this.sqlWith({})(statement, ...values);

  /** Returns a tag like `sql` with options: ``doc.sqlWith({ timeout: 200 })`select …` ``. */
  sqlWith({ timeout, at, signal }: SqlOptions): SqlTag {
    return async <Row>(statement: TemplateStringsArray, ...values: readonly SqlParameter[]) => {
      const json = { sql: statement.join("?"), args: values, timeout };
      const spec = { json, query: { at }, signal };
      const answer = await this.#transport.json<{ records: { fields: Row }[] }>("POST", `${this.#path}/sql`, spec);
      return answer.records.map(({ fields }) => fields);
    };
  }

  /** Sends any other request about the document: `doc.request("GET", "states")`. */
  request<Answer = unknown>(method: string, path: string, spec: RequestSpec = {}): Promise<Answer> {
    return this.#transport.json(method, `${this.#path}/${path}`, spec);
  }
}
