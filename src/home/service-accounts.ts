import { eq, getTableColumns } from "drizzle-orm";
import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { serviceAccounts, users } from "./schema.ts";

export interface ServiceAccount {
  readonly id: number;
  /** The user the account acts as. */
  readonly userId: number;
  readonly ownerId: number;
  readonly label: string;
  readonly description: string;
  readonly expiresAt: number;
  /** The email of the user it acts as. */
  readonly login: string;
}

export type ServiceAccountChange = Partial<Pick<ServiceAccount, "label" | "description" | "expiresAt">>;

export interface ServiceAccounts {
  byId(id: number): ServiceAccount | null;
  /** Lists the accounts a user created, oldest first. */
  listOf(ownerId: number): ServiceAccount[];
  add(account: Omit<ServiceAccount, "id" | "login">): number;
  change(id: number, change: ServiceAccountChange): void;
}

export function createServiceAccounts({ db }: HomeDatabase): ServiceAccounts {
  const accounts = () =>
    db
      .select({ ...getTableColumns(serviceAccounts), login: users.email })
      .from(serviceAccounts)
      .innerJoin(users, eq(users.id, serviceAccounts.userId));
  return {
    byId: (id) => accounts().where(eq(serviceAccounts.id, id)).get() ?? null,
    listOf: (ownerId) => accounts().where(eq(serviceAccounts.ownerId, ownerId)).orderBy(serviceAccounts.id).all(),
    add: (account) => must(db.insert(serviceAccounts).values(account).returning({ id: serviceAccounts.id }).get()).id,
    change(id, change) {
      if (Object.keys(change).length > 0) {
        db.update(serviceAccounts).set(change).where(eq(serviceAccounts.id, id)).run();
      }
    },
  };
}
