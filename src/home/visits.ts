import type { HomeDatabase } from "./database.ts";
import { VISITS_VERSION } from "./migrations/index.ts";

/** When a user opened a document. */
export interface Visit {
  readonly uuid: string;
  readonly openedAt: number;
}

/** The most recent documents of a user that are kept. */
export const MAX_VISITS = 20;

/**
 * Which documents users opened last. In a cluster that is being upgraded the table may not exist yet: visits are then
 * ignored.
 */
export interface VisitStore {
  /** Records visits, keeps later ones, and forgets all but the most recent ones of each user. Ignores unknown ids. */
  record(visits: readonly (Visit & { readonly userId: number })[]): void;
  /** Lists the visits of a user, the most recent one first. */
  listOf(userId: number): Visit[];
}

const INSERT = `insert into document_visits (user_id, document_id, opened_at)
  select u.id, d.id, ?3 from users u join documents d on d.uuid = ?2 where u.id = ?1
  on conflict (user_id, document_id) do update set opened_at = max(opened_at, excluded.opened_at)`;

const FORGET = `delete from document_visits where user_id = ?1 and document_id not in
  (select document_id from document_visits where user_id = ?1 order by opened_at desc, document_id desc limit ?2)`;

const SELECT = `select d.uuid, v.opened_at as openedAt from document_visits v join documents d on d.id = v.document_id
  where v.user_id = ? order by v.opened_at desc, v.document_id desc limit ?`;

export function createVisits({ raw, version }: HomeDatabase): VisitStore {
  const exists = () => version() >= VISITS_VERSION;
  return {
    record(visits) {
      if (visits.length === 0 || !exists()) return;
      for (const { userId, uuid, openedAt } of visits) raw.run(INSERT, userId, uuid, openedAt);
      for (const userId of new Set(visits.map((visit) => visit.userId))) raw.run(FORGET, userId, MAX_VISITS);
    },
    listOf: (userId) => (exists() ? raw.all<Visit>(SELECT, userId, MAX_VISITS) : []),
  };
}
