import type { Hono } from "hono";
import type { IncomingUpload } from "../../services/imports/uploads.ts";
import type { PageCall, PageEnv } from "./page-context.ts";

export interface PageOptions {
  /** The OpenAPI document of the API, which the reference shows. */
  readonly describeApi: () => object;
  /** Returns the unread body of a form with files, and the limits of uploads. */
  readonly incomingForm: (call: PageCall) => IncomingUpload;
  /** Runs work that counts as a request to a document. @throws AppError `limit.document_requests` */
  readonly withDocumentSlot: <T>(call: PageCall, uuid: string, work: () => Promise<T>) => Promise<T>;
}

/** Registers the routes of one kind of page. */
export type PageRoutes = (app: Hono<PageEnv>, options: PageOptions) => void;
