/** The TypeScript client of Quern: reads and writes documents through the API, typed by their declarations. */
import { Document } from "./document.ts";
import { type ClientOptions, type RequestSpec, Transport } from "./transport.ts";
import type { AnySchema } from "./types/schema.ts";

export type { Attachments, DownloadOptions, Progress, UploadedFile, UploadOptions } from "./attachments.ts";
export { type BatchOperation, type BatchReference, type BatchResult, ref } from "./batch.ts";
export { fromList, toList } from "./cell-lists.ts";
export type { Document, SqlOptions, SqlParameter } from "./document.ts";
export type { ErrorCode } from "./error-code.ts";
export { QuernError } from "./errors.ts";
export type { LiveChange, LiveListener, LiveState, SubscribeOptions, Subscription } from "./live.ts";
export type {
  DeleteOptions,
  FilterWriteOptions,
  GetOptions,
  List,
  ListOptions,
  PageOptions,
  Table,
  UpsertOptions,
  WriteOptions,
} from "./table.ts";
export type { ClientOptions, RequestOptions, RequestSpec, WriteRequestOptions } from "./transport.ts";
export type { AttachmentInfo, DryRunReport, UpsertedIds } from "./types/answers.ts";
export type { Filter, SortKey } from "./types/filter.ts";
export type { ExpandPath, FieldPath, Projection } from "./types/projection.ts";
export type { ProjectionOptions, QuernRecord } from "./types/records.ts";
export type {
  AnySchema,
  Cell,
  CellFormat,
  CellList,
  CellValue,
  ColumnName,
  ColumnType,
  TableName,
  WrittenCell,
  WrittenFields,
} from "./types/schema.ts";
export {
  type Delivery,
  verifyWebhook,
  type VerifyOptions,
  type WebhookRow,
  WebhookVerificationError,
} from "./webhooks.ts";

/** A client of a server. */
export class Client<S> {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Returns a document by its id. Sends no request. */
  doc<Own = S>(id: string): Document<Own> {
    return new Document(this.#transport, id);
  }

  /** Sends any other request: `client.request("GET", "orgs")`. */
  request<Answer = unknown>(method: string, path: string, spec: RequestSpec = {}): Promise<Answer> {
    return this.#transport.json(method, path, spec);
  }
}

/** Creates a client; `Schema` are the declarations that `quern types` writes. */
export const createClient = <Schema = AnySchema>(options: ClientOptions): Client<Schema> => new Client(options);
