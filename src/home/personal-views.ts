import { AppError } from "../errors.ts";
import type { HomeDatabase } from "./database.ts";
import { PERSONAL_VIEWS_VERSION } from "./migrations/index.ts";

/** The personal views that a user can have in a document. */
export const MAX_PERSONAL_VIEWS = 500;

export interface PersonalViewKey {
  readonly userId: number;
  readonly documentId: number;
  readonly section: number;
}

/**
 * How users want to see sections of documents. In a cluster that is being upgraded the table may not exist yet: there are no
 * personal views then.
 */
export interface PersonalViewStore {
  /** Returns the JSON text of a view; null for none. */
  find(key: PersonalViewKey): string | null;
  /** @throws AppError `limit.exceeded` for too many views; `server.unavailable` where the table does not exist yet */
  save(key: PersonalViewKey, view: string): void;
  remove(key: PersonalViewKey): void;
}

const OWN = "user_id = ?1 and document_id = ?2";

const SAVE = `insert into personal_views (user_id, document_id, section, view) values (?1, ?2, ?3, ?4)
  on conflict (user_id, document_id, section) do update set view = excluded.view`;

export function createPersonalViews({ raw, version }: HomeDatabase): PersonalViewStore {
  const exists = () => version() >= PERSONAL_VIEWS_VERSION;
  return {
    find: ({ userId, documentId, section }) =>
      exists()
        ? (raw.get<{ view: string }>(
            `select view from personal_views where ${OWN} and section = ?3`,
            userId,
            documentId,
            section,
          )?.view ?? null)
        : null,
    save({ userId, documentId, section }, view) {
      if (!exists()) throw new AppError("server.unavailable", "The server is being upgraded; retry later");
      const others = raw.get<{ count: number }>(
        `select count(*) as count from personal_views where ${OWN} and section <> ?3`,
        userId,
        documentId,
        section,
      );
      if ((others?.count ?? 0) >= MAX_PERSONAL_VIEWS)
        throw new AppError("limit.exceeded", `A user can have ${MAX_PERSONAL_VIEWS} personal views in a document`);
      raw.run(SAVE, userId, documentId, section, view);
    },
    remove({ userId, documentId, section }) {
      if (exists()) raw.run(`delete from personal_views where ${OWN} and section = ?3`, userId, documentId, section);
    },
  };
}
