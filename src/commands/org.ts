import { actorForCommand } from "../services/accounts/actors.ts";
import { guardSignedIn } from "../services/access/guards.ts";
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
