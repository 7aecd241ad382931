/** A dry run of an import reports what the import then does, from a copy of the document. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setRules } from "../../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { difference, readContent, reported } from "./observed.ts";
import { createScene, fileBytes } from "./scene.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  doc = await createScene(server);
});

function send(as: Caller, csv: string, query: string) {
  const raw = new FormData();
  raw.append("upload", new File([csv], "more.csv"));
  return server.call(as, "POST", `${doc}/import?${query}`, undefined, { raw });
}

test.each<[name: string, csv: string, query: string]>([
  ["new tables", "Name,Price\nA,1.5\nB,2\n", ""],
  ["rows of a table with formulas", "Customer,Amount,Status\nAnn,5,new\nBob,7,late\n", "table=Orders"],
  ["rows and columns of a table", "Name,Rate,Born\nDot,5,2000-01-01\n", "table=Customers&addColumns=1"],
])("%s", async (_, csv, query) => {
  const before = await readContent(server, doc);
  const files = fileBytes(server, doc);
  const dry = await send("owner", csv, `${query}&dryrun=1`);
  expect(dry).toMatchObject({ status: 200, body: { changes: { isTruncated: false, webhooks: [] } } });
  expect(fileBytes(server, doc)).toEqual(files);
  // Only the upload remains, for the import.
  expect(readdirSync(join(server.folder, "tmp")).filter((name) => name.includes("dry-run"))).toEqual([]);
  const body = { uploadId: (dry.body as { uploadId: number }).uploadId };
  const real = await server.call("owner", "POST", `${doc}/import?${query}`, body);
  expect(real.status).toBe(200);
  expect(dry.body).toMatchObject(real.body);
  expect(reported(dry.body.changes)).toEqual(difference(before, await readContent(server, doc)));
});

test("dryRun reports no changes", async () => {
  const { status, body } = await send("owner", "A\n1\n", "dryRun=1");
  expect([status, Object.keys(body).includes("changes")]).toEqual([200, false]);
});

test("refusals are those of the import", async () => {
  for (const as of ["owner", "editor", "viewer", "stranger"] as const) {
    for (const query of ["table=Orders", "table=Nowhere"]) {
      const dry = await send(as, "Nothing\n1\n", `${query}&dryrun=1`);
      const real = await send(as, "Nothing\n1\n", query);
      expect([dry.status, dry.body]).toEqual([real.status, real.body]);
      expect(real.status).toBeGreaterThanOrEqual(400);
    }
  }
});

test("an editor gets what rules let them read, also without permission to copy the document", async () => {
  await setRules(server, doc, { "Customers:*": [{ formula: "user.Access != OWNER", permissions: "-R" }] });
  const { status, body } = await send("editor", "Amount,Status\n5,new\n", "table=Orders&dryrun=1");
  expect(status).toBe(200);
  expect(body.changes.tables).toMatchObject([
    { table: "Orders", rows: { added: 1, changed: 0, removed: 0 }, added: [{ fields: { Amount: 5 } }] },
    { table: "Orders_summary_Status" },
  ]);
  expect(JSON.stringify(body.changes)).not.toMatch(/Customers|Rate|webhooks|_grist/);
  await setRules(server, doc, { "Orders:*": [{ formula: "user.Access != OWNER", permissions: "-C" }] });
  const dry = await send("editor", "Amount\n5\n", "table=Orders&dryrun=1");
  expect(dry).toMatchObject({ status: 403, body: { details: { code: "access.rules" } } });
});
