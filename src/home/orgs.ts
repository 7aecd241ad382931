import { eq } from "drizzle-orm";
import type { Role, SiteRole } from "../authorization.ts";
import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { GRANTS_OF_USER, roleOfUserSql } from "./identity/roles-of-user.ts";
import { grants, orgs, workspaces } from "./schema.ts";

export interface Site {
  readonly id: number;
  readonly name: string;
  /** A personal site without a domain has `docs-<owner's id>`. */
  readonly domain: string;
  /** Null for a team site. */
  readonly owner: SiteOwner | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SiteOwner {
  readonly id: number;
  readonly name: string;
  readonly picture: string | null;
  readonly ref: string;
  readonly kind: "person" | "service";
  readonly createdAt: number;
}

export interface SiteListing extends Site {
  /** The role granted on the site itself, to the user or a group of theirs; null for guests. */
  readonly role: SiteRole | null;
}

export interface NewTeam {
  name: string;
  /** Lower case and unused; null chooses `o-<id>`. */
  domain: string | null;
  ownerId: number;
}

export type SiteChange = Partial<Pick<typeof orgs.$inferSelect, "name" | "domain" | "createdAt" | "updatedAt">>;

/** The size of a site; items in the trash count only as removed. */
export interface SiteCounts {
  readonly workspaces: number;
  readonly documents: number;
  readonly removedDocuments: number;
}

/** Sites. */
export interface Orgs {
  /** Creates a user's personal site with its workspace "Home", both owned by the user. Returns the site's id. */
  createPersonal(userId: number): number;
  /** Creates a team site with its workspace "Home", both owned by `ownerId`. Returns the site's id. */
  createTeam(team: NewTeam): number;
  byId(id: number): Site | null;
  /** Returns the site with the domain. */
  byDomain(domain: string): Site | null;
  /**
   * Lists the sites that a user has any access to: their own first, then team sites, then other personal sites, each by
   * name.
   */
  listOf(userId: number): SiteListing[];
  change(id: number, change: SiteChange): void;
  count(id: number): SiteCounts;
  /** Deletes the site with its content. */
  remove(id: number): void;
}

/** The columns of a site in queries over `orgs o left join users u on u.id = o.owner_id`; `siteOf` reads them. */
export const SITE_COLUMNS = `o.id as orgId, o.name as orgName, coalesce(o.domain, 'docs-' || o.owner_id) as orgDomain,
  o.created_at as orgCreatedAt, o.updated_at as orgUpdatedAt, o.owner_id as ownerId, u.name as ownerName,
  u.picture as ownerPicture, u.ref as ownerRef, u.kind as ownerKind, u.created_at as ownerCreatedAt`;

export interface SiteRow {
  orgId: number;
  orgName: string;
  orgDomain: string;
  orgCreatedAt: number;
  orgUpdatedAt: number;
  ownerId: number | null;
  ownerName: string;
  ownerPicture: string | null;
  ownerRef: string;
  ownerKind: SiteOwner["kind"];
  ownerCreatedAt: number;
}

export const siteOf = (row: SiteRow): Site => ({
  id: row.orgId,
  name: row.orgName,
  domain: row.orgDomain,
  owner:
    row.ownerId === null
      ? null
      : {
          id: row.ownerId,
          name: row.ownerName,
          picture: row.ownerPicture,
          ref: row.ownerRef,
          kind: row.ownerKind,
          createdAt: row.ownerCreatedAt,
        },
  createdAt: row.orgCreatedAt,
  updatedAt: row.orgUpdatedAt,
});

const SITE = `select ${SITE_COLUMNS} from orgs o left join users u on u.id = o.owner_id`;

const LIST = `select ${SITE_COLUMNS}, ${roleOfUserSql("org_id", "o.id")} as role
  from orgs o left join users u on u.id = o.owner_id
  where o.id in (
    select org_id from ${GRANTS_OF_USER} where org_id is not null
    union select w.org_id from ${GRANTS_OF_USER} g left join documents d on d.id = g.document_id
      join workspaces w on w.id = coalesce(g.workspace_id, d.workspace_id)
      where w.removed_at is null and d.removed_at is null)
  order by o.owner_id is not +?1, u.name, o.name, o.id`;

const COUNT = `select count(distinct case when w.removed_at is null then w.id end) as workspaces,
  count(case when w.removed_at is null and d.removed_at is null then d.id end) as documents,
  count(case when w.removed_at is not null or d.removed_at is not null then d.id end) as removedDocuments
  from workspaces w left join documents d on d.workspace_id = w.id where w.org_id = ?`;

export function createOrgs({ db, raw, clock, transaction }: HomeDatabase): Orgs {
  const create = (org: { name: string; domain?: string | null; ownerId?: number }, userId: number): number =>
    transaction(() => {
      const times = { createdAt: clock.now(), updatedAt: clock.now() };
      const { id } = must(
        db
          .insert(orgs)
          .values({ ...org, ...times })
          .returning({ id: orgs.id })
          .get(),
      );
      const owners: { userId: number; role: Role } = { userId, role: "owners" };
      const workspace = must(
        db
          .insert(workspaces)
          .values({ orgId: id, name: "Home", maxInheritedRole: "owners", ...times })
          .returning({ id: workspaces.id })
          .get(),
      );
      db.insert(grants)
        .values([
          { ...owners, orgId: id },
          { ...owners, workspaceId: workspace.id },
        ])
        .run();
      return id;
    });
  const find = (where: string, value: number | string): Site | null => {
    const row = raw.get<SiteRow>(`${SITE} where ${where} = ?`, value);
    return row && siteOf(row);
  };
  return {
    createPersonal: (userId) => create({ name: "Personal", ownerId: userId }, userId),
    createTeam: ({ name, domain, ownerId }) =>
      transaction(() => {
        const id = create({ name, domain }, ownerId);
        if (domain === null) {
          db.update(orgs)
            .set({ domain: `o-${id}` })
            .where(eq(orgs.id, id))
            .run();
        }
        return id;
      }),
    byId: (id) => find("o.id", id),
    byDomain: (domain) => find("o.domain", domain),
    listOf: (userId) =>
      raw.all<SiteRow & { role: SiteRole | null }>(LIST, userId).map((row) => ({ ...siteOf(row), role: row.role })),
    change(id, change) {
      if (Object.keys(change).length > 0) db.update(orgs).set(change).where(eq(orgs.id, id)).run();
    },
    count: (id) => must(raw.get<SiteCounts>(COUNT, id)),
    remove(id) {
      transaction(() => {
        raw.run("delete from preferences where org_id = ?", id);
        db.delete(orgs).where(eq(orgs.id, id)).run();
      });
    },
  };
}
