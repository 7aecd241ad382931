import { must } from "../lib/assert.ts";
import type { HomeDatabase } from "./database.ts";
import { grants, orgs, workspaces } from "./schema.ts";

/** Sites. */
export interface Orgs {
  /** Makes a user's personal site with its workspace "Home", both owned by him. Answers the site's id. */
  createPersonal(userId: number): number;
}

export function createOrgs({ db, clock, transaction }: HomeDatabase): Orgs {
  return {
    createPersonal(userId) {
      return transaction(() => {
        const times = { createdAt: clock.now(), updatedAt: clock.now() };
        const org = must(
          db
            .insert(orgs)
            .values({ name: "Personal", ownerId: userId, ...times })
            .returning({ id: orgs.id })
            .get(),
        );
        const workspace = must(
          db
            .insert(workspaces)
            .values({ orgId: org.id, name: "Home", maxInheritedRole: "owners", ...times })
            .returning({ id: workspaces.id })
            .get(),
        );
        db.insert(grants)
          .values([
            { userId, orgId: org.id, role: "owners" },
            { userId, workspaceId: workspace.id, role: "owners" },
          ])
          .run();
        return org.id;
      });
    },
  };
}
