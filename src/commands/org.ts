import { actorForCommand } from "../services/accounts/actors.ts";
import { guardSignedIn } from "../services/access/guards.ts";
import { createOrg } from "../services/sites/orgs.ts";
import type { Command } from "./command.ts";
import { printResult, withContext } from "./with-context.ts";

export const orgCreate: Command = {
  name: "org create",
  about: 'Makes a team site with a workspace "Home".',
  options: [
    { name: "domain", takes: "D", about: "Its name in addresses: lower-case letters, digits, dashes.", required: true },
    { name: "name", takes: "N", about: "Name as people see it.", required: true },
    { name: "owner", takes: "E", about: "E-mail address of the user who owns it.", required: true },
  ],
  async run(input) {
    const { domain = "", name = "", owner = "" } = input.options;
    const id = await withContext(input, (ctx) =>
      createOrg(ctx, guardSignedIn(actorForCommand(ctx, owner)), { name, domain }),
    );
    printResult(input, { id, domain, name }, [`Made site ${domain}`]);
    return 0;
  },
};
