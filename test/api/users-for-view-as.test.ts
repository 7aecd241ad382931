import { expect, test } from "bun:test";
import { USERS, testApp } from "../helpers/app.ts";
import { setRules } from "../helpers/access-rules.ts";
import { createSharedFixture, statusesByCaller } from "../helpers/request-steps.ts";

interface Shown {
  readonly users: Record<string, unknown>[];
  readonly attributeTableUsers: object[];
  readonly exampleUsers: object[];
}

test("usersForViewAs lists all users with access, users of attribute tables, and examples, for owners", async () => {
  await using server = await testApp();
  const { doc, shelf } = await createSharedFixture(server, {
    "new@example.com": "viewers",
    "everyone@getgrist.com": "viewers",
  });
  // Access to the workspace alone, which the document inherits only in part.
  await server.must("PATCH", `${shelf}/access`, { delta: { users: { [USERS.stranger.email]: "editors" } } });
  const list = () => server.must<Shown>("GET", `${doc}/usersForViewAs`);
  const before = await list();
  expect(before.users.map(({ email, name, access }) => [email, name, access])).toEqual([
    [USERS.owner.email, USERS.owner.name, "owners"],
    [USERS.editor.email, USERS.editor.name, "editors"],
    [USERS.viewer.email, USERS.viewer.name, "viewers"],
    [USERS.stranger.email, USERS.stranger.name, "editors"],
    ["new@example.com", "", "viewers"],
  ]);
  expect(before.users[0]).toEqual({
    id: expect.any(Number),
    email: USERS.owner.email,
    name: USERS.owner.name,
    picture: null,
    ref: expect.any(String),
    disabledAt: null,
    access: "owners",
    isMember: true,
  });
  expect(before.attributeTableUsers).toEqual([]);
  expect(before.exampleUsers).toEqual([
    { id: 0, email: "owner@example.com", name: "Owner", access: "owners" },
    { id: 0, email: "editor1@example.com", name: "Editor 1", access: "editors" },
    { id: 0, email: "editor2@example.com", name: "Editor 2", access: "editors" },
    { id: 0, email: "viewer@example.com", name: "Viewer", access: "viewers" },
    { id: 0, email: "unknown@example.com", name: "Unknown User", access: null },
  ]);

  const columns = ["Mail", "Name", "Access"].map((id) => ({ id, fields: { type: "Text" } }));
  await server.must("POST", `${doc}/tables`, { tables: [{ id: "Staff", columns }] });
  const rows = [
    { Mail: "ida@example.com", Name: "Ida", Access: "viewers" },
    { Mail: USERS.editor.email.toUpperCase(), Name: "Known" },
    { Mail: "jon@example.com", Access: "kings" },
    { Mail: "IDA@example.com", Name: "Again" },
    { Mail: "no address" },
  ];
  await server.must("POST", `${doc}/tables/Staff/records`, { records: rows.map((fields) => ({ fields })) });
  const attribute = (charId: string) =>
    JSON.stringify({ name: `By${charId}`, tableId: "Staff", lookupColId: "Mail", charId });
  await setRules(server, doc, { "*:*": [{ userAttributes: attribute("UserRef") }] });
  expect((await list()).attributeTableUsers).toEqual([]);
  await setRules(server, doc, { "*:*": [{ userAttributes: attribute("Email") }] });
  expect((await list()).attributeTableUsers).toEqual([
    { id: 0, email: "ida@example.com", name: "Ida", access: "viewers" },
    { id: 0, email: "jon@example.com", name: "jon", access: "editors" },
  ]);
  const people = ["editor", "viewer", "stranger", "anon", "badkey"] as const;
  expect(await statusesByCaller(server, people, ["GET", `${doc}/usersForViewAs`])).toEqual([403, 403, 403, 403, 401]);
});
