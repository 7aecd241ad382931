import { eq, sql } from "drizzle-orm";
import { normaliseEmail } from "../lib/text/email.ts";
import { randomRef } from "../lib/ids.ts";
import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { hasOtherOwnerSql } from "./identity/roles-of-user.ts";
import { users } from "./schema.ts";

/** A person, a service account's acting side, or a pseudo-user. */
export type User = typeof users.$inferSelect;

export interface NewUser {
  /** As displayed. */
  email: string;
  name: string;
  kind: "person" | "service";
  isAdmin?: boolean;
}

export type UserChange = Partial<
  Pick<User, "name" | "picture" | "locale" | "isAdmin" | "disabledAt" | "email" | "displayEmail" | "externalId">
>;

export interface Users {
  byId(id: number): User | null;
  /** Finds a user by email in any spelling. */
  byEmail(email: string): User | null;
  /** Lists all users except the pseudo-users, by id. */
  list(): User[];
  /** Returns true once a user other than service accounts and pseudo-users exists. */
  hasPerson(): boolean;
  /** @throws SQLITE_CONSTRAINT_UNIQUE when the address is taken */
  add(user: NewUser): User;
  /** `email` is normalized. @throws SQLITE_CONSTRAINT_UNIQUE when the address is taken */
  change(id: number, change: UserChange): void;
  /** Returns true if an administrator other than the user can sign in: not disabled, and not only invited. */
  hasOtherAdministrator(id: number): boolean;
  /** Lists the names of team sites without another owner. */
  sitesOwnedAlone(id: number): string[];
  /** Lists the UUIDs of the documents in the user's personal site, including those in the trash. */
  personalDocuments(id: number): string[];
  /**
   * Deletes the user with their password, sessions, keys, service accounts' records, grants, preferences and personal
   * site. Workspaces and documents elsewhere without another direct owner inherit in full again, so that the owners of
   * their ancestors can access them.
   */
  remove(id: number): void;
}

export function createUsers({ db, raw, clock, transaction }: HomeDatabase): Users {
  const byId = db
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder("id")))
    .prepare();
  const byEmail = db
    .select()
    .from(users)
    .where(eq(users.email, sql.placeholder("email")))
    .prepare();
  const list = db
    .select()
    .from(users)
    .where(sql`${users.kind} <> 'pseudo'`)
    .orderBy(users.id)
    .prepare();
  return {
    byId: (id) => byId.get({ id }) ?? null,
    byEmail: (email) => byEmail.get({ email: normaliseEmail(email) }) ?? null,
    list: () => list.all(),
    hasPerson: () => raw.get("select 1 from users where kind = 'person' limit 1") !== null,
    add({ email, name, kind, isAdmin = false }) {
      const row = { displayEmail: email.trim(), name, kind, isAdmin, ref: randomRef(), createdAt: clock.now() };
      return must(
        db
          .insert(users)
          .values({ ...row, email: normaliseEmail(email) })
          .returning()
          .get(),
      );
    },
    change(id, change) {
      if (Object.keys(change).length > 0) db.update(users).set(change).where(eq(users.id, id)).run();
    },
    hasOtherAdministrator: (id) => raw.get(OTHER_ADMINISTRATOR, id) !== null,
    sitesOwnedAlone: (id) => raw.all<{ name: string }>(SITES_OWNED_ALONE, id).map(({ name }) => name),
    personalDocuments: (id) => raw.all<{ uuid: string }>(PERSONAL_DOCUMENTS, id).map(({ uuid }) => uuid),
    remove(id) {
      transaction(() => {
        for (const kind of ["workspace", "document"] as const) raw.run(restoreInheritance(kind), id);
        raw.run("delete from preferences where user_id = ?", id);
        raw.run("delete from preferences where org_id in (select id from orgs where owner_id = ?)", id);
        db.delete(users).where(eq(users.id, id)).run();
      });
    },
  };
}

const OTHER_ADMINISTRATOR = `select 1 from users
  where is_admin and disabled_at is null and name <> '' and id <> ? limit 1`;

const SITES_OWNED_ALONE = `select o.name from orgs o join grants g on g.org_id = o.id
  where g.user_id = ?1 and g.role = 'owners' and o.owner_id is null
    and not ${hasOtherOwnerSql("org_id", "o.id", ["person"])}
  order by o.name`;

const PERSONAL_DOCUMENTS = `select d.uuid from documents d join workspaces w on w.id = d.workspace_id
  join orgs o on o.id = w.org_id where o.owner_id = ?`;

/** Pseudo-users do not count as owners here: they cannot sign in. */
const restoreInheritance = (kind: "workspace" | "document") => `update ${kind}s set max_inherited_role = 'owners'
  where id in (select ${kind}_id from grants where user_id = ?1 and role = 'owners')
  and not ${hasOtherOwnerSql(`${kind}_id`, `${kind}s.id`, ["person", "service"])}`;
