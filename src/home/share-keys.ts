import { randomRef } from "../lib/ids.ts";
import type { HomeDatabase } from "./database.ts";
import { SHARE_KEYS_VERSION } from "./migrations/index.ts";

/** A key of the link of published forms: it opens the share of a document that has this link id. */
export interface ShareKey {
  readonly linkId: string;
  readonly key: string;
}

/**
 * The keys of links of published forms. They belong to a document and the link id of one of its shares, and do not travel with
 * the document's file. In a cluster that is being upgraded the table may not exist yet: there are no keys then.
 */
export interface ShareKeyStore {
  /** Returns what a key opens; null for an unknown key. */
  find(key: string): { readonly uuid: string; readonly linkId: string } | null;
  /** Returns the keys of a document, by link id. */
  listOf(uuid: string): ShareKey[];
  /** Creates keys for the given link ids that have none, and removes all others of the document. Ignores unknown documents. */
  keepOnly(uuid: string, linkIds: readonly string[]): void;
  /** Removes the keys of link ids of a document. */
  remove(uuid: string, linkIds: readonly string[]): void;
}

const FIND = `select d.uuid, k.link_id as linkId from share_keys k join documents d on d.id = k.document_id where k.key = ?`;

const LIST = `select k.link_id as linkId, k.key from share_keys k join documents d on d.id = k.document_id
  where d.uuid = ? order by k.link_id`;

const ADD = `insert or ignore into share_keys (key, document_id, link_id) select ?2, d.id, ?3 from documents d where d.uuid = ?1`;

const REMOVE = `delete from share_keys where document_id = (select id from documents where uuid = ?1)
  and link_id in (select value from json_each(?2))`;

export function createShareKeys({ raw, version }: HomeDatabase): ShareKeyStore {
  const exists = () => version() >= SHARE_KEYS_VERSION;
  const listOf = (uuid: string) => (exists() ? raw.all<ShareKey>(LIST, uuid) : []);
  const remove = (uuid: string, linkIds: readonly string[]) => {
    if (linkIds.length > 0 && exists()) raw.run(REMOVE, uuid, JSON.stringify(linkIds));
  };
  return {
    find: (key) => (exists() ? (raw.get<{ uuid: string; linkId: string }>(FIND, key) ?? null) : null),
    listOf,
    keepOnly(uuid, linkIds) {
      if (!exists()) return;
      const known = listOf(uuid).map(({ linkId }) => linkId);
      remove(
        uuid,
        known.filter((linkId) => !linkIds.includes(linkId)),
      );
      for (const linkId of linkIds) {
        if (!known.includes(linkId)) raw.run(ADD, uuid, randomRef(), linkId);
      }
    },
    remove,
  };
}
