import { eq } from "drizzle-orm";
import type { HomeDatabase } from "../database.ts";
import { invitations } from "./tables.ts";

/** An invitation of a user who has not signed in yet. */
export type InvitationRow = typeof invitations.$inferSelect;

export interface NewInvitation {
  readonly userId: number;
  /** The user who invited; null for a command. */
  readonly invitedBy: number | null;
  readonly expiresAt: number;
}

/** Invitations, at most one per user. */
export interface Invitations {
  find(userId: number): InvitationRow | null;
  /** Adds an invitation, or replaces the user's earlier one. */
  set(invitation: NewInvitation & { readonly isShared?: boolean }): void;
  /** Records that another user than the inviter has shared something with the user. */
  markShared(userId: number): void;
  remove(userId: number): void;
  /** True if the user has a role outside of their personal site, or is a member of a group. */
  hasRoles(userId: number): boolean;
  /** True if the user is a member of a group. */
  isInGroup(userId: number): boolean;
}

export function createInvitations({ db, raw, clock }: HomeDatabase): Invitations {
  return {
    find: (userId) => db.select().from(invitations).where(eq(invitations.userId, userId)).get() ?? null,
    set({ userId, isShared = false, ...invitation }) {
      const row = { ...invitation, isShared, createdAt: clock.now() };
      db.insert(invitations)
        .values({ userId, ...row })
        .onConflictDoUpdate({ target: invitations.userId, set: row })
        .run();
    },
    markShared(userId) {
      db.update(invitations).set({ isShared: true }).where(eq(invitations.userId, userId)).run();
    },
    remove(userId) {
      db.delete(invitations).where(eq(invitations.userId, userId)).run();
    },
    hasRoles: (userId) => raw.get(HAS_ROLES, userId) !== null,
    isInGroup: (userId) => raw.get("select 1 from group_members where user_id = ? limit 1", userId) !== null,
  };
}

/** Roles outside of the user's own personal site, also those of groups. */
const HAS_ROLES = `select 1 from grants g left join workspaces w on w.id = g.workspace_id
  left join documents d on d.id = g.document_id left join workspaces dw on dw.id = d.workspace_id
  left join orgs o on o.id = coalesce(g.org_id, w.org_id, dw.org_id)
  where g.user_id = ?1 and o.owner_id is not ?1
  union all select 1 from group_members where user_id = ?1 limit 1`;
