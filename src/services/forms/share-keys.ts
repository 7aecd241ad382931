import type { DocumentGrant } from "../../authorization.ts";
import { isCurrent, type ShareKey } from "../../home/share-keys.ts";
import type { Context } from "../context.ts";

/**
 * Returns the keys of the shares of a document, for its owners. Creates missing ones: a key is of no use before an owner has
 * read it here. Keys of shares that no longer exist are removed.
 */
export async function listShareKeys(ctx: Context, grant: DocumentGrant): Promise<readonly ShareKey[]> {
  const { home, cluster } = ctx;
  const { uuid } = grant;
  const links = await ctx.documents.call(grant, "shares.list", null);
  const keys = () => home.shareKeys.listOf(uuid).map(({ linkId, key }) => ({ linkId, key }));
  const known = new Map(home.shareKeys.listOf(uuid).map((one) => [one.linkId, one]));
  const isComplete = known.size === links.length && links.every((link) => isCurrent(known.get(link.linkId), link));
  if (isComplete) return keys();
  await ctx.deliverNotes({ shareKeys: [[uuid, links]] });
  // The owner of the home database may be another node.
  await cluster?.freshHome();
  return keys();
}
