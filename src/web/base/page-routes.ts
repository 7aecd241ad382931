import type { Hono } from "hono";
import type { PageEnv } from "./page-context.ts";

export interface PageOptions {
  /** The OpenAPI description of the API, which the reference shows. */
  readonly describeApi: () => object;
}

/** The routes of one kind of page: adds them to all pages. */
export type PageRoutes = (app: Hono<PageEnv>, options: PageOptions) => void;
