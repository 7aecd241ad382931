import { callerKey, type DocumentGrant } from "../authorization.ts";
import { BUILD } from "../lib/build.ts";
import type { CacheCondition } from "../services/documents/content.ts";
import { acceptsLines } from "./body.ts";
import type { Call } from "./call.ts";

/**
 * Returns the inputs of a response besides the document, and the client's ETags. The access part is the caller and
 * their role: rules inside a document can depend on the caller's properties and the origin of the request.
 */
export function requestCondition(call: Call, grant: DocumentGrant): CacheCondition {
  const { headers } = call.request;
  const { actor } = grant;
  const identity = actor.kind === "user" ? [actor.userId, actor.email, actor.name] : [callerKey(actor)];
  const seed = [
    BUILD,
    call.path,
    call.search,
    headers.get("x-sort") ?? "",
    headers.get("x-limit") ?? "",
    // The same records have two forms.
    acceptsLines(call) ? "lines" : "",
    grant.role,
    JSON.stringify([grant.request.origin, ...identity]),
  ].join("\n");
  const ifNoneMatch = headers.get("if-none-match");
  return { seed, tags: ifNoneMatch ? parseEntityTags(ifNoneMatch) : [] };
}

/** Returns the tags of an If-None-Match header; weak tags are equivalent to strong ones for reading. */
export const parseEntityTags = (header: string): string[] =>
  [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map((match) => match[1] ?? "");
