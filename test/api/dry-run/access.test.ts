/** The report of a caller under rules: only rows and cells that they can read before and after the change. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const HIDDEN = "user.Access != OWNER";
const SECRET = "treasure";

beforeEach(async () => {
  ({ doc } = await createSharedFixture(server));
  const columns = (types: Record<string, string>) =>
    Object.entries(types).map(([id, type]) => ({ id, type, isFormula: false }));
  await server.must("POST", `${doc}/apply`, [
    ["AddTable", "Team", columns({ Email: "Text", Level: "Int" })],
    ["BulkAddRecord", "Team", [1], { Email: ["emil@example.com"], Level: [1] }],
    ["AddTable", "Items", columns({ Name: "Text", Level: "Int", Note: "Text" })],
    ["BulkAddRecord", "Items", [1, 2], { Name: ["open", "closed"], Level: [1, 5], Note: ["n", SECRET] }],
    ["AddTable", "Vault", columns({ Name: "Text" })],
    ["BulkAddRecord", "Vault", [1], { Name: [SECRET] }],
    ["AddColumn", "Items", "Copies", { isFormula: true, formula: "len(Vault.all)" }],
  ]);
});

const LEVELS = {
  "*:*": [{ formula: HIDDEN, permissions: "+S" }],
  "Items:*": [{ formula: `${HIDDEN} and rec.Level > user.Member.Level`, permissions: "-R" }],
  "Vault:*": [{ formula: HIDDEN, permissions: "-R" }],
};

async function setLevels(): Promise<void> {
  await setRules(server, doc, LEVELS);
  const attribute = { name: "Member", tableId: "Team", lookupColId: "Email", charId: "Email" };
  const resource = { tableId: "*", colIds: "*" };
  const found = await server.must<{ records: { id: number; fields: object }[] }>(
    "GET",
    `${doc}/tables/_grist_ACLResources/records`,
  );
  const known = found.records.find(({ fields }) => Bun.deepMatch(resource, fields))?.id;
  await server.must("POST", `${doc}/apply`, [
    ...(known === undefined ? [["AddRecord", "_grist_ACLResources", -1, resource]] : []),
    ["AddRecord", "_grist_ACLRules", null, { resource: known ?? -1, userAttributes: JSON.stringify(attribute) }],
  ]);
}

const apply = (...actions: unknown[][]) => server.call("editor", "POST", `${doc}/apply?dryrun=1`, actions);

describe("a change that extends the rights of the caller", () => {
  beforeEach(setLevels);

  test("is permitted, and the real change shows more", async () => {
    expect(
      (await server.call("editor", "POST", `${doc}/apply`, [["UpdateRecord", "Team", 1, { Level: 9 }]])).status,
    ).toBe(200);
    const { body } = await server.call("editor", "GET", `${doc}/tables/Items/records`);
    expect(JSON.stringify(body)).toContain(SECRET);
  });

  test.each<[name: string, actions: unknown[][]]>([
    ["of an attribute", [["UpdateRecord", "Team", 1, { Level: 9 }]]],
    [
      "and of all rows",
      [
        ["UpdateRecord", "Team", 1, { Level: 9 }],
        ["BulkUpdateRecord", "Items", [1, 2], { Name: ["x", "y"] }],
      ],
    ],
    [
      "by another row of the caller",
      [
        ["RemoveRecord", "Team", 1],
        ["AddRecord", "Team", null, { Email: "emil@example.com", Level: 9 }],
        ["UpdateRecord", "Items", 2, { Name: "z" }],
      ],
    ],
    [
      "and of the hidden row alone",
      [
        ["UpdateRecord", "Team", 1, { Level: 9 }],
        ["UpdateRecord", "Items", 2, { Name: "z" }],
      ],
    ],
    ["by a formula", [["AddColumn", "Items", "Peek", { isFormula: true, formula: "Vault.lookupOne(id=1).Name" }]]],
    [
      "by a formula of a new table",
      [
        ["AddTable", "Peek", [{ id: "A", type: "Text", isFormula: true, formula: "Vault.lookupOne(id=1).Name" }]],
        ["AddRecord", "Peek", null, {}],
      ],
    ],
    [
      "of a type",
      [
        ["UpdateRecord", "Team", 1, { Level: 9 }],
        ["ModifyColumn", "Items", "Note", { type: "Choice" }],
      ],
    ],
    [
      "of a name",
      [
        ["UpdateRecord", "Team", 1, { Level: 9 }],
        ["RenameTable", "Items", "Things"],
        ["RemoveTable", "Things"],
      ],
    ],
  ])("shows nothing of what was hidden: %s", async (_, actions) => {
    const { status, body } = await apply(...actions);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(body.tables.map(({ table }: { table: string }) => table)).not.toContain("Peek");
    // Nothing of row 2, which is hidden before the change.
    const items = (
      body as {
        tables: { table: string; added: { id?: number }[]; changed: { id: number }[]; removed: { id: number }[] }[];
      }
    ).tables.filter(({ table }) => ["Items", "Things"].includes(table));
    for (const { added, changed, removed } of items) {
      expect([...changed, ...removed].map(({ id }) => id)).not.toContain(2);
      expect(added.every(({ id }) => id === undefined)).toBe(true);
    }
  });

  test("leaves out added rows that only the new rights show", async () => {
    const { body } = await apply(
      ["UpdateRecord", "Team", 1, { Level: 9 }],
      ["AddRecord", "Items", null, { Name: "new", Level: 7 }],
    );
    expect(body.tables.find(({ table }: { table: string }) => table === "Items")).toBeUndefined();
  });
});

describe("a caller under rules", () => {
  test("gets readable rows and cells, and no ids of added rows", async () => {
    await setRules(server, doc, {
      "Items:Note": [{ formula: HIDDEN, permissions: "-R" }],
      "Items:*": [{ formula: `${HIDDEN} and rec.Level > 3`, permissions: "-R" }],
    });
    const { body } = await apply(
      ["AddRecord", "Items", null, { Name: "new", Level: 2 }],
      ["UpdateRecord", "Items", 1, { Level: 3 }],
    );
    expect(body).toMatchObject({
      tables: [
        {
          table: "Items",
          rows: { added: 1, changed: 1, removed: 0 },
          cells: { changed: 1, recomputed: 0 },
          added: [{ fields: { Name: "new", Level: 2, Copies: 1 } }],
          changed: [{ id: 1, before: { Level: 1 }, after: { Level: 3 } }],
        },
      ],
    });
    expect(JSON.stringify(body)).not.toMatch(/Note|_grist_|webhooks/);
    expect(body.tables[0].added[0]).not.toHaveProperty("id");
  });

  test("gets nothing of a row that the change hides, or that others do", async () => {
    await setRules(server, doc, { "Items:*": [{ formula: `${HIDDEN} and rec.Level > 3`, permissions: "-R" }] });
    const { body } = await apply(["UpdateRecord", "Items", 1, { Level: 7 }]);
    expect(body.tables).toEqual([]);
  });

  test("is refused as by the change itself", async () => {
    await setRules(server, doc, { "Items:*": [{ formula: HIDDEN, permissions: "-U" }] });
    const actions = [["UpdateRecord", "Items", 1, { Name: "x" }]];
    const real = await server.call("editor", "POST", `${doc}/apply`, actions);
    const dry = await apply(...actions);
    expect([dry.status, dry.body]).toEqual([real.status, real.body]);
    expect(dry).toMatchObject({ status: 403, body: { details: { code: "access.rules" } } });
  });

  test("gets summaries only where rules leave them and their source complete", async () => {
    const { columns } = await server.must<{ columns: { id: string; fields: { colRef: number; parentId: number } }[] }>(
      "GET",
      `${doc}/tables/Items/columns`,
    );
    const { colRef, parentId } = columns.find(({ id }) => id === "Name")?.fields ?? { colRef: 0, parentId: 0 };
    await server.must("POST", `${doc}/apply`, [["CreateViewSection", parentId, 0, "record", [colRef], null]]);
    const add = () => apply(["AddRecord", "Items", null, { Name: "third", Level: 1 }]);
    const tablesOf = async (): Promise<string[]> => {
      const { tables } = (await add()).body as { tables: { table: string }[] };
      return tables.map(({ table }) => table);
    };
    await setRules(server, doc, { "Vault:*": [{ formula: HIDDEN, permissions: "-R" }] });
    expect(await tablesOf()).toEqual(["Items", "Items_summary_Name"]);
    await setRules(server, doc, { "Items:*": [{ formula: `${HIDDEN} and rec.Level > 3`, permissions: "-R" }] });
    expect(await tablesOf()).toEqual(["Items"]);
  });
});
