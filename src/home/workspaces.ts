import { eq } from "drizzle-orm";
import type { Role } from "../authorization.ts";
import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { WORKSPACE_ROLES, workspaceRole, type WorkspaceRoles } from "./access-lookups.ts";
import { workspaces } from "./schema.ts";

export type Workspace = typeof workspaces.$inferSelect;

export interface WorkspaceListing extends Pick<Workspace, "id" | "name" | "createdAt" | "updatedAt" | "removedAt"> {
  /** The caller's role; null for guests and for users without access. */
  readonly role: Role | null;
}

export interface NewWorkspace {
  orgId: number;
  name: string;
  createdAt?: number;
  updatedAt?: number;
}

export type WorkspaceChange = Partial<
  Pick<Workspace, "name" | "createdAt" | "updatedAt" | "removedAt" | "maxInheritedRole">
>;

export interface Workspaces {
  /** Inserts a workspace with full inheritance and without grants. Returns its id. */
  add(workspace: NewWorkspace): number;
  byId(id: number): Workspace | null;
  /** Returns one workspace as `listOf` does. */
  listing(id: number, userId: number): WorkspaceListing | null;
  /** Lists the workspaces of a site including those in the trash, by name in code point order. */
  listOf(orgId: number, userId: number): WorkspaceListing[];
  change(id: number, change: WorkspaceChange): void;
  /** Deletes it with the rows of its documents. */
  remove(id: number): void;
  /** Lists the ids of those moved to the trash before `time`. */
  removedBefore(time: number): number[];
}

type Row = Omit<WorkspaceListing, "role"> & WorkspaceRoles;

const SELECT_LISTING = `select w.id, w.name, w.created_at as createdAt, w.updated_at as updatedAt, w.removed_at as removedAt,
  ${WORKSPACE_ROLES} from workspaces w join orgs o on o.id = w.org_id`;

export function createWorkspaces({ db, raw, clock }: HomeDatabase): Workspaces {
  return {
    add({ orgId, name, createdAt = clock.now(), updatedAt = clock.now() }) {
      const row = { orgId, name, maxInheritedRole: "owners" as const, createdAt, updatedAt };
      return must(db.insert(workspaces).values(row).returning({ id: workspaces.id }).get()).id;
    },
    byId: (id) => db.select().from(workspaces).where(eq(workspaces.id, id)).get() ?? null,
    listing(id, userId) {
      const row = raw.get<Row>(`${SELECT_LISTING} where w.id = +?2`, userId, id);
      return row && toListing(row);
    },
    // SQLite compares UTF-8 bytes, which is code point order.
    listOf: (orgId, userId) =>
      raw.all<Row>(`${SELECT_LISTING} where w.org_id = +?2 order by w.name, w.id`, userId, orgId).map(toListing),
    change(id, change) {
      if (Object.keys(change).length > 0) db.update(workspaces).set(change).where(eq(workspaces.id, id)).run();
    },
    remove(id) {
      db.delete(workspaces).where(eq(workspaces.id, id)).run();
    },
    removedBefore: (time) =>
      raw.all<{ id: number }>("select id from workspaces where removed_at < ?", time).map(({ id }) => id),
  };
}

const toListing = (row: Row): WorkspaceListing => ({
  id: row.id,
  name: row.name,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  removedAt: row.removedAt,
  role: workspaceRole(row),
});
