/** Keeps callers with a token for an end user within its document, and to the routes for end users. */
import { forbidden } from "../../errors.ts";
import { isDocumentOfToken, outsideToken } from "../../services/access/guards.ts";
import { parseJobId } from "../../services/jobs/job-ids.ts";
import type { Call } from "../call.ts";
import { END_USER_ROUTES } from "./end-user-routes.ts";

/**
 * Refuses all paths outside of the document of a token, before the body is read and whatever exists there, so that every
 * refusal is the same. The guards refuse them as well.
 * @throws AppError `unauthenticated`
 */
export function confineEndUser({ actor, ctx, path }: Call): null {
  if (actor.kind !== "endUser") return null;
  const [, collection, encodedRef = ""] = /^\/api\/(docs|jobs)\/([^/]+)/.exec(path) ?? [];
  const ref = decode(encodedRef);
  const isInside =
    collection === "jobs"
      ? parseJobId(ref)?.uuid === actor.documentUuid
      : collection === "docs" && isDocumentOfToken(ctx, actor, ref);
  if (!isInside) throw outsideToken();
  return null;
}

/** @throws AppError `forbidden` for an end user, unless the route is for them */
export function checkEndUser({ actor }: Call, routeId: string): void {
  if (actor.kind !== "endUser" || END_USER_ROUTES.has(routeId)) return;
  throw forbidden("Tokens for end users do not allow this", "access.token_denied");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
