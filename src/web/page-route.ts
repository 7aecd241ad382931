import type { Hono } from "hono";
import type { Env } from "./env.ts";

export interface PagesOptions {
  /** The OpenAPI description of the API, which the reference shows. */
  readonly describeApi: () => object;
}

/** The routes of one kind of page: adds them to all pages. */
export type PageRoutes = (app: Hono<Env>, options: PagesOptions) => void;
