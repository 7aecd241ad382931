import type { PageCall } from "./base/page-context.ts";
import type { PageOptions } from "./base/page-routes.ts";

type PageHandler = (call: PageCall) => Promise<Response | null>;

/** Like `createPages`, but loaded at the first page request: an API-only server never needs them. */
export function createLazyPages(options: PageOptions): PageHandler {
  let pages: Promise<PageHandler> | undefined;
  return async (call) => {
    pages ??= import("./pages.tsx").then(({ createPages }) => createPages(options));
    return (await pages)(call);
  };
}
