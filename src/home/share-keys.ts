import { randomRef } from "../lib/ids.ts";
import type { HomeDatabase } from "./database.ts";
import { SHARE_KEYS_VERSION } from "./migrations/index.ts";

/** The link of a share of published forms, as its document knows it. */
export interface ShareLink {
  readonly linkId: string;
  /** Changes when the link id is removed or renamed. */
  readonly generation: string;
}

/** The key of a link: 22 letters and digits. */
export interface ShareKey {
  readonly linkId: string;
  readonly key: string;
}

/**
 * The keys of links of published forms. They belong to a document and a link of it, and do not travel with the document's file. In
 * a cluster that is being upgraded the table may not exist yet: there are no keys then.
 */
export interface ShareKeyStore {
  /** Returns what a key opens; null for an unknown key. */
  find(key: string): (ShareLink & { readonly uuid: string }) | null;
  /** Returns the keys of a document. */
  listOf(uuid: string): (ShareKey & ShareLink)[];
  /** Creates keys for links that have none, and removes all others of the document. Ignores unknown documents. */
  keepOnly(uuid: string, links: readonly ShareLink[]): void;
}

const FIND = `select d.uuid, k.link_id as linkId, k.generation from share_keys k join documents d on d.id = k.document_id
  where k.key = ?`;

const LIST = `select k.link_id as linkId, k.key, k.generation from share_keys k join documents d on d.id = k.document_id
  where d.uuid = ? order by k.link_id`;

const ADD = `insert or replace into share_keys (key, document_id, link_id, generation)
  select ?2, d.id, ?3, ?4 from documents d where d.uuid = ?1`;

const REMOVE = `delete from share_keys where document_id = (select id from documents where uuid = ?1)
  and link_id not in (select value from json_each(?2))`;

export function createShareKeys({ raw, version }: HomeDatabase): ShareKeyStore {
  const exists = () => version() >= SHARE_KEYS_VERSION;
  const listOf = (uuid: string) => (exists() ? raw.all<ShareKey & ShareLink>(LIST, uuid) : []);
  return {
    find: (key) => (exists() ? raw.get<ShareLink & { uuid: string }>(FIND, key) : null),
    listOf,
    keepOnly(uuid, links) {
      if (!exists()) return;
      raw.run(REMOVE, uuid, JSON.stringify(links.map(({ linkId }) => linkId)));
      const known = new Map(listOf(uuid).map((one) => [one.linkId, one]));
      for (const link of links) {
        if (!isCurrent(known.get(link.linkId), link)) raw.run(ADD, uuid, randomRef(), link.linkId, link.generation);
      }
    },
  };
}

/** True for a key that opens a link: without a generation, the document has no memory of former ones. */
export const isCurrent = (key: ShareLink | undefined, { generation }: ShareLink): boolean =>
  key !== undefined && (generation === "" || key.generation === generation);
