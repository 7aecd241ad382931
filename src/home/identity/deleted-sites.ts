import { must } from "../../lib/assert.ts";
import type { HomeDatabase } from "../database.ts";

/** The personal site of a deleted user: in the trash, without owner and address. */
export interface DeletedSite {
  readonly id: number;
  /** The address of its former owner, in its original spelling. */
  readonly formerOwner: string;
  readonly removedAt: number;
  readonly documents: number;
}

/** Personal sites of deleted users. */
export interface DeletedSites {
  /**
   * Moves the personal site of a user to the trash with its workspaces, before the user is deleted: without owner, and
   * without roles on the site itself. Roles on workspaces and documents in it are kept for when it is restored.
   */
  detach(userId: number): void;
  /** Lists the sites that are not deleted permanently yet, by id. */
  list(): DeletedSite[];
  /** Returns true if the site is one. */
  isDeleted(orgId: number): boolean;
  /**
   * Moves the workspaces of a deleted site to the personal site of a user, who owns them, and removes the site. Items that
   * were in the trash before stay there.
   * @returns the number of workspaces
   */
  restore(id: number, userId: number): number;
  /** Permanently deletes those without workspaces: the sweep of the trash has deleted their content. */
  removeEmpty(): void;
}

/** No address of a site can be like this. */
const DOMAIN = "'~deleted-' || id";

const SELECT = `select o.id, o.former_owner as formerOwner, o.removed_at as removedAt,
  (select count(*) from workspaces w join documents d on d.workspace_id = w.id where w.org_id = o.id) as documents
  from orgs o where o.removed_at is not null order by o.id`;

export function createDeletedSites({ raw, clock, transaction }: HomeDatabase): DeletedSites {
  return {
    detach: (userId) =>
      transaction(() => {
        const org = raw.get<{ id: number }>("select id from orgs where owner_id = ?", userId);
        if (!org) return;
        const now = clock.now();
        raw.run(
          `update orgs set domain = ${DOMAIN}, owner_id = null, removed_at = ?2,
             former_owner = (select display_email from users where id = ?3) where id = ?1`,
          org.id,
          now,
          userId,
        );
        for (const table of ["grants", "group_grants"]) raw.run(`delete from ${table} where org_id = ?`, org.id);
        raw.run("delete from preferences where org_id = ?", org.id);
        // What was in the trash before is deleted when it would have been.
        raw.run("update workspaces set removed_at = ?2 where org_id = ?1 and removed_at is null", org.id, now);
      }),
    list: () => raw.all<DeletedSite>(SELECT),
    isDeleted: (orgId) => raw.get("select 1 from orgs where id = ? and removed_at is not null", orgId) !== null,
    restore: (id, userId) =>
      transaction(() => {
        const target = must(raw.get<{ id: number }>("select id from orgs where owner_id = ?", userId), "personal site");
        const restored = raw.all<{ id: number }>(
          `update workspaces set removed_at = null, max_inherited_role = 'owners'
           where org_id = ?1 and removed_at = (select removed_at from orgs where id = ?1) returning id`,
          id,
        );
        raw.run(
          `update documents set max_inherited_role = 'owners' where max_inherited_role is not 'owners'
           and workspace_id in (select id from workspaces where org_id = ?1) and not exists (
             select 1 from grants where document_id = documents.id and role = 'owners')`,
          id,
        );
        raw.run("update workspaces set org_id = ?2 where org_id = ?1", id, target.id);
        // A urlId of the other site stays with the document that has it there.
        raw.run("update or ignore url_ids set org_id = ?2 where org_id = ?1", id, target.id);
        raw.run("delete from orgs where id = ?", id);
        raw.run(
          `update documents set url_id = null where url_id is not null
           and workspace_id in (select id from workspaces where org_id = ?1)
           and not exists (select 1 from url_ids where document_id = documents.id and url_id = documents.url_id)`,
          target.id,
        );
        return restored.length;
      }),
    removeEmpty() {
      raw.run(
        "delete from orgs where removed_at is not null and not exists (select 1 from workspaces where org_id = orgs.id)",
      );
    },
  };
}
