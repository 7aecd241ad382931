import type { AnyoneGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { fold, matchWord, wordsOf } from "../../lib/text/word-matcher.ts";
import type { FoundDocument } from "../../wire/documents/search.ts";
import { guardSite } from "../access/guards.ts";
import type { Context } from "../context.ts";
import { listOrgs } from "../sites/orgs.ts";
import { listWorkspaces } from "../sites/workspaces.ts";

/** Returns the documents that the caller can open and whose names contain all words, best matches first. */
export function searchDocuments(
  ctx: Context,
  grant: AnyoneGrant,
  { q, limit }: { q: string; limit: number },
): FoundDocument[] {
  const words = wordsOf(q);
  return openDocuments(ctx, grant)
    .flatMap((found) => {
      const name = fold(found.name);
      const matches = words.map((word) => matchWord(name, word));
      if (matches.includes(null)) return [];
      return [{ found, score: matches.reduce((sum, match) => sum + (match?.score ?? 0), 0) }];
    })
    .toSorted((a, b) => b.score - a.score || a.found.name.localeCompare(b.found.name, "en-US"))
    .slice(0, limit)
    .map(({ found }) => found);
}

/** Returns all documents that the caller can open, without those in the trash and disabled ones. */
const openDocuments = (ctx: Context, grant: AnyoneGrant): FoundDocument[] =>
  listOrgs(ctx, grant, { merged: false }).flatMap((site) =>
    workspacesOf(ctx, grant, site.id).flatMap((workspace) =>
      workspace.docs
        .filter(({ disabledAt }) => disabledAt === undefined)
        .map(({ id, uuid, name, urlId, access, updatedAt }) => ({
          id,
          uuid,
          name,
          urlId,
          access,
          updatedAt,
          workspace: { id: workspace.id, name: workspace.name },
          site: { id: site.id, name: site.name, domain: workspace.orgDomain },
        })),
    ),
  );

function workspacesOf(ctx: Context, { actor }: AnyoneGrant, siteId: number) {
  try {
    const grant = guardSite(ctx, actor, { kind: "personal" }, String(siteId), "guests");
    return listWorkspaces(ctx, grant, { showRemoved: false, sizes: false });
  } catch (error) {
    // A guest of a site whose documents are all in the trash.
    if (error instanceof AppError && error.code === "forbidden") return [];
    throw error;
  }
}
