import type { Hono } from "hono";
import type { PageEnv } from "./page-context.ts";

export interface PageOptions {
  /** The OpenAPI document of the API, which the reference shows. */
  readonly describeApi: () => object;
}

/** Registers the routes of one kind of page. */
export type PageRoutes = (app: Hono<PageEnv>, options: PageOptions) => void;
