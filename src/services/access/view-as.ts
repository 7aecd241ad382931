/** The users that owners can view a document as, to test its access rules. */
import type { DocumentGrant, Role } from "../../authorization.ts";
import { normaliseEmail } from "../../lib/text/email.ts";
import type { ExampleUser, UsersForViewAs } from "../../wire/access/view-as.ts";
import { usersWithAccess } from "./access-lists.ts";
import type { Context } from "../context.ts";

const EXAMPLE_USERS: readonly ExampleUser[] = (
  [
    ["owner@example.com", "Owner", "owners"],
    ["editor1@example.com", "Editor 1", "editors"],
    ["editor2@example.com", "Editor 2", "editors"],
    ["viewer@example.com", "Viewer", "viewers"],
    ["unknown@example.com", "Unknown User", null],
  ] as const satisfies readonly (readonly [email: string, name: string, access: Role | null])[]
).map(([email, name, access]) => ({ id: 0, email, name, access }));

/** Returns all users with access, the users in the document's user attribute tables, and example users. */
export async function listViewAsUsers(ctx: Context, grant: DocumentGrant): Promise<UsersForViewAs> {
  const users = usersWithAccess(ctx, grant);
  const known = new Set(users.map(({ email }) => normaliseEmail(email)));
  const attributeTableUsers = (await ctx.documents.call(grant, "rules.attributeUsers", null))
    .filter(({ email }) => !known.has(normaliseEmail(email)))
    .map((user) => ({ id: 0 as const, ...user }));
  return { users, attributeTableUsers, exampleUsers: [...EXAMPLE_USERS] };
}
