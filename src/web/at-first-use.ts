import type { PageCall } from "./env.ts";
import type { PagesOptions } from "./page-route.ts";

type Pages = (call: PageCall) => Promise<Response | null>;

/** As `createPages`, but loaded when somebody first asks for a page: a server for programs alone never needs them. */
export function pagesAtFirstUse(options: PagesOptions): Pages {
  let pages: Promise<Pages> | undefined;
  return async (call) => {
    pages ??= import("./pages.tsx").then(({ createPages }) => createPages(options));
    return (await pages)(call);
  };
}
