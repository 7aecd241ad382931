import { createGroup } from "../services/accounts/groups.ts";
import type { Command } from "./command.ts";
import { printResult, withContext } from "./with-context.ts";

export const groupCreate: Command = {
  name: "group create",
  about: "Creates a group without members. Roles of the group give its members access.",
  options: [
    { name: "name", takes: "N", about: "Name of the group.", required: true },
    {
      name: "managed-by",
      takes: "PROVIDER",
      about: "Single sign-on provider whose groups claim sets the members, by the name in its settings.",
    },
    { name: "external-id", takes: "ID", about: "Another name of the group in the claim, such as an object id." },
  ],
  async run(input) {
    const { name = "", "managed-by": managedBy = null, "external-id": externalId = null } = input.options;
    const group = await withContext(input, (ctx) => createGroup(ctx, { name, managedBy, externalId }));
    printResult(input, { id: group.id, name: group.name, managedBy: group.managedBy, externalId: group.externalId }, [
      `Created group ${group.name}`,
    ]);
    return 0;
  },
};

export const groupList: Command = {
  name: "group list",
  about: "Lists the groups with the number of their members.",
  options: [],
  async run(input) {
    const groups = await withContext(
      input,
      ({ home }) =>
        home.groups.list().map(({ id, name, managedBy, externalId }) => ({
          id,
          name,
          managedBy,
          externalId,
          members: home.groups.membersOf(id).length,
        })),
      { isReadOnly: true },
    );
    printResult(
      input,
      groups,
      groups.map(({ name, managedBy, members }) => [name, `${members} members`, managedBy ?? ""].join("\t").trimEnd()),
    );
    return 0;
  },
};
