import { expect, test } from "bun:test";
import { sampleDocument } from "../../helpers/app.ts";
import { scimServer, URN } from "./scim-server.ts";

test("provisioning is recorded in the audit log", async () => {
  await using scim = await scimServer();
  const { doc } = await sampleDocument(scim.server);
  const { raw } = scim.server.app.ctx.home;
  const last = () => raw.get<{ n: number }>("select coalesce(max(number), 0) as n from audit_entries")?.n ?? 0;
  const entries = (after: number) =>
    raw
      .all<{ event: string; target: string; details: string }>(
        "select event, target, details from audit_entries where number > ? order by number",
        after,
      )
      .map(({ event, target, details }) => [
        event,
        Object.values(JSON.parse(target) as Record<string, { name: string }>).map(({ name }) => name),
        JSON.parse(details) as object,
      ]);
  const start = last();
  const id = await scim.addUser("wanda@example.com", { externalId: "1" });
  await scim.patch(`/Users/${id}`, { op: "replace", value: { displayName: "W", active: false } });
  await scim.patch(`/Users/${id}`, { op: "replace", value: { active: true } });
  const member = { value: id, type: "User" };
  const group = await scim.must("POST", "/Groups", { displayName: "Crew", members: [member] });
  const filter = encodeURIComponent(`docId eq "${doc}" and displayName eq "viewers"`);
  const role = (await scim.must("GET", `/Roles?filter=${filter}`)).Resources[0]?.id ?? "";
  const members = [member, { value: group.id, type: "Group" }];
  await scim.must("PUT", `/Roles/${role}`, { schemas: [URN.role], members });
  await scim.patch(`/Groups/${group.id}`, { op: "remove", path: "members" });
  await scim.call("owner", "DELETE", `/Users/${id}`);
  expect(entries(start)).toEqual([
    ["user.created", ["wanda@example.com"], {}],
    ["user.changed", ["wanda@example.com"], { fields: ["name"] }],
    ["user.disabled", ["wanda@example.com"], {}],
    ["user.enabled", ["wanda@example.com"], {}],
    ["group.created", ["Crew"], {}],
    ["access.changed", ["wanda@example.com", "Crew"], { before: null, after: "member" }],
    ["access.changed", ["wanda@example.com", "Sample", "Work", "Team"], { before: null, after: "viewers" }],
    ["access.changed", ["Sample", "Work", "Team", "Crew"], { before: null, after: "viewers" }],
    ["access.changed", ["wanda@example.com", "Crew"], { before: "member", after: null }],
    ["user.deleted", ["wanda@example.com"], {}],
  ]);
});
