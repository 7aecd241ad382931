import type { App } from "../../src/app.ts";
import type { Config } from "../../src/config.ts";
import { createPathTree, resolveTarget } from "../../src/http/paths.ts";
import { RequestClasses } from "../../src/http/cluster/request-classes.ts";
import { routes } from "../../src/http/routes.ts";
import type { Notes } from "../../src/services/notes.ts";
import { PAGE_CLASSES } from "../../src/web/page-classes.ts";

const CLASSES = new RequestClasses(routes, PAGE_CLASSES);

/**
 * Makes the home database read-only during requests which any node of a cluster may get: one that writes it nevertheless
 * has the wrong class, and fails as it would on a replica. Requests beside one that may write are not checked.
 */
export function withClassChecks(
  app: App,
  config: Pick<Config, "baseDomain" | "singleOrg" | "forwardAuthHeader">,
  classes: RequestClasses = CLASSES,
): App {
  const { canonical } = createPathTree(routes.map(({ spec }) => spec.path));
  let writers = 0;
  let others = 0;
  const { raw, webhooks } = app.ctx.home;
  const apply = () => raw.exec(`pragma query_only = ${writers === 0 && others > 0 ? "on" : "off"}`);
  // The deliverer of a single server marks documents in home whenever one has an event, also during a request; that of a
  // node does not (`isShared`). Refused, it would try again 5 s later.
  const { markDue } = webhooks;
  webhooks.markDue = (documentId) => {
    raw.exec("pragma query_only = off");
    try {
      markDue(documentId);
    } finally {
      apply();
    }
  };
  // A node sends notes to the owner of home, and waits for it.
  const { deliverNotes } = app.ctx;
  const delivering = async (notes: Notes): Promise<void> => {
    raw.exec("pragma query_only = off");
    try {
      await deliverNotes(notes);
    } finally {
      apply();
    }
  };
  Object.assign(app.ctx, { deliverNotes: delivering });
  return {
    ...app,
    async handle(request, connection) {
      const { pathname } = new URL(request.url);
      const path = canonical(resolveTarget(pathname, request.headers.get("host"), config).path);
      // A user whom a proxy names for the first time is added: see `needsNewUser`.
      const mayAddUser = config.forwardAuthHeader !== null && request.headers.has(config.forwardAuthHeader);
      const isWriter = mayAddUser || classes.find({ request, path }).requestClass === "home";
      if (isWriter) writers++;
      else others++;
      apply();
      try {
        return await app.handle(request, connection);
      } finally {
        if (isWriter) writers--;
        else others--;
        apply();
      }
    },
  };
}
