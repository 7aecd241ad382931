import { invalid } from "../errors.ts";
import { isoTime } from "../lib/time/clock.ts";
import { actorForCommand } from "../services/accounts/actors.ts";
import { guardSignedIn } from "../services/access/guards.ts";
import { restoreDeletedSite } from "../services/sites/deleted-sites.ts";
import { createOrg } from "../services/sites/orgs.ts";
import type { Command } from "./command.ts";
import { printResult, withContext } from "./with-context.ts";

export const orgCreate: Command = {
  name: "org create",
  about: 'Creates a team site with a workspace "Home".',
  options: [
    { name: "domain", takes: "D", about: "Subdomain of the site: lower-case letters, digits, dashes.", required: true },
    { name: "name", takes: "N", about: "Display name of the site.", required: true },
    { name: "owner", takes: "E", about: "Email address of the owner.", required: true },
  ],
  async run(input) {
    const { domain = "", name = "", owner = "" } = input.options;
    const id = await withContext(input, (ctx) =>
      createOrg(ctx, guardSignedIn(actorForCommand(ctx, owner)), { name, domain }),
    );
    printResult(input, { id, domain, name }, [`Created site ${domain}`]);
    return 0;
  },
};

export const orgDeleted: Command = {
  name: "org deleted",
  about: "Lists the personal sites of users who were deleted through SCIM, which are in the trash for 30 days.",
  options: [],
  async run(input) {
    const sites = await withContext(input, (ctx) => ctx.home.deletedSites.list(), { isReadOnly: true });
    printResult(
      input,
      sites.map(({ removedAt, ...site }) => ({ ...site, removedAt: isoTime(removedAt) })),
      sites.map(({ id, formerOwner, removedAt, documents }) =>
        [id, formerOwner, isoTime(removedAt), `${documents} documents`].join("\t"),
      ),
    );
    return 0;
  },
};

export const orgRestore: Command = {
  name: "org restore",
  about: "Restores the personal site of a deleted user: its workspaces move to the personal site of another user.",
  options: [
    { name: "id", takes: "N", about: "Id of the site, as listed by org deleted.", required: true },
    { name: "to", takes: "E", about: "Email address of the user who gets the workspaces.", required: true },
  ],
  async run(input) {
    const { id = "", to = "" } = input.options;
    if (!/^\d{1,15}$/.test(id)) throw invalid("--id must be a number");
    const restored = await withContext(input, (ctx) => restoreDeletedSite(ctx, { orgId: Number(id), to }));
    printResult(input, restored, [`Restored ${restored.workspaces} workspaces for ${restored.email}`]);
    return 0;
  },
};
