import type { UserGrant } from "../../authorization.ts";
import { MAX_VISITS, type Visit } from "../../home/visits.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { RecentDocument } from "../../wire/documents/search.ts";
import { reachesDocument } from "../access/key-limits.ts";
import type { Context } from "../context.ts";

/**
 * Returns the documents that the user opened last in the pages and can still open, the most recent one first. Without
 * those in the trash and disabled ones.
 */
export function listRecentDocuments(ctx: Context, { actor }: UserGrant): RecentDocument[] {
  const { home, lastVisits, lastChanges } = ctx;
  const openedAt = new Map<string, number>();
  const add = (visit: Visit) => openedAt.set(visit.uuid, Math.max(visit.openedAt, openedAt.get(visit.uuid) ?? 0));
  home.visits.listOf(actor.userId).forEach(add);
  lastVisits.pendingOf(actor.userId).forEach(add);
  return [...openedAt]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_VISITS)
    .flatMap(([uuid, time]) => {
      const place = home.reach.document(uuid, { userId: actor.userId, domain: null });
      if (!place || place.isRemoved || place.isDisabled || place.role === null) return [];
      const found = reachesDocument(actor, place) ? home.documents.describe(place.documentId, actor.userId) : null;
      if (!found) return [];
      const { id, name, urlId, isPinned, workspace, site } = found;
      const sizeBytes = ctx.documents.sizeBytes(uuid);
      return [
        {
          id,
          uuid,
          name,
          urlId,
          isPinned,
          access: place.role,
          updatedAt: isoTime(lastChanges.of(found)),
          openedAt: isoTime(time),
          ...(sizeBytes !== null && { sizeBytes }),
          workspace: { id: workspace.id, name: workspace.name },
          site: { id: site.id, name: site.name, domain: site.domain },
        },
      ];
    });
}
