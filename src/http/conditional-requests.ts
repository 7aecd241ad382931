import type { DocumentGrant } from "../authorization.ts";
import { BUILD } from "../lib/build.ts";
import type { CacheCondition } from "../services/documents/content.ts";
import type { Call } from "./call.ts";

/**
 * What the answer to this request depends on besides the document, and the tags the caller holds.
 * The access part is the caller and his role: rules inside a document may show each person something else, by what is
 * known of him and by the origin of the request.
 */
export function requestCondition(call: Call, grant: DocumentGrant): CacheCondition {
  const { headers } = call.request;
  const { actor } = grant;
  const identity = actor.kind === "user" ? [actor.userId, actor.email, actor.name] : [];
  const seed = [
    BUILD,
    call.path,
    call.search,
    headers.get("x-sort") ?? "",
    headers.get("x-limit") ?? "",
    grant.role,
    JSON.stringify([grant.request.origin, ...identity]),
  ].join("\n");
  const ifNoneMatch = headers.get("if-none-match");
  return { seed, tags: ifNoneMatch ? parseEntityTags(ifNoneMatch) : [] };
}

/** The tags of an If-None-Match header; a weak tag is as good as a strong one for reading. */
export const parseEntityTags = (header: string): string[] =>
  [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map((match) => match[1] ?? "");
