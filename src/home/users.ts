import { eq, sql } from "drizzle-orm";
import { normaliseEmail } from "../lib/email.ts";
import { randomRef } from "../lib/ids.ts";
import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { users } from "./schema.ts";

/** A person, a service account's acting side, or a pseudo-user. */
export type User = typeof users.$inferSelect;

export interface NewUser {
  /** As it shall be shown. */
  email: string;
  name: string;
  kind: "person" | "service";
  isAdmin?: boolean;
}

export type UserChange = Partial<Pick<User, "name" | "picture" | "locale" | "isAdmin" | "disabledAt" | "displayEmail">>;

export interface Users {
  byId(id: number): User | null;
  /** In any spelling. */
  byEmail(email: string): User | null;
  /** All but the pseudo-users, by id. */
  list(): User[];
  /** True once anybody but service accounts and pseudo-users exists. */
  anyPerson(): boolean;
  /** @throws SQLITE_CONSTRAINT_UNIQUE when the address is taken */
  add(user: NewUser): User;
  change(id: number, change: UserChange): void;
  /** Removes the user and what hangs on it: password, sessions, keys, grants, personal site. */
  remove(id: number): void;
}

export function createUsers({ db, raw, clock }: HomeDatabase): Users {
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
    anyPerson: () => raw.get("select 1 from users where kind = 'person' limit 1") !== null,
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
    remove(id) {
      db.delete(users).where(eq(users.id, id)).run();
    },
  };
}
