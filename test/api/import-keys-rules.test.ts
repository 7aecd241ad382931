/** Imports that update rows by a key, under access rules: neither counts nor refusals depend on what a caller cannot read. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setRules } from "../helpers/access-rules.ts";
import { testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let table = "";
let number = 0;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  table = `Secrets${++number}`;
  const columns = [
    { id: "Name", fields: { type: "Text" } },
    { id: "Price", fields: { type: "Numeric" } },
    { id: "Owner", fields: { type: "Text" } },
  ];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: table, columns }] });
  const records = [
    { Name: "hidden", Price: 1, Owner: "boss" },
    { Name: "twice", Price: 2, Owner: "boss" },
    { Name: "twice", Price: 3, Owner: "boss" },
    { Name: "shown", Price: 4, Owner: "all" },
  ];
  await server.must("POST", `${place.doc}/tables/${table}/records`, { records: records.map((fields) => ({ fields })) });
});

const NOT_OWNER = "user.Access != OWNER";
const denies = (permissions: string, condition = "True") => [
  { formula: `${NOT_OWNER} and (${condition})`, permissions: `-${permissions}` },
];

async function importing(csv: string, fields: Record<string, unknown>, query = "", as: Caller = "editor") {
  const form = new FormData();
  form.append("upload", new File([csv], "items.csv"));
  for (const [field, value] of Object.entries(fields))
    form.append(field, typeof value === "string" ? value : JSON.stringify(value));
  return server.call(as, "POST", `${place.doc}/import?table=${table}&change=1${query}`, undefined, { raw: form });
}

const contents = () => server.must("GET", `${place.doc}/tables/${table}/data`);

const NAMES = ["hidden", "twice", "shown", "nowhere"];
const WAYS = [{}, { onMatch: "skip" }, { onNew: "skip" }, { onMatch: "skip", onNew: "skip" }];
const ALL = NAMES.flatMap((name) =>
  ["", "&dryRun=1", "&dryrun=1"].flatMap((query) => WAYS.map((way) => ({ name, query, way }))),
);

async function answersOf(csvOf: (name: string) => string, key: string): Promise<string[]> {
  const answers: string[] = [];
  for (const { name, query, way } of ALL) {
    const { status, body } = await importing(csvOf(name), { ...way, key: [key] }, query);
    answers.push(JSON.stringify([status, body]));
  }
  return answers;
}

describe("where rows may be hidden", () => {
  test("a key is refused alike, whether it is hidden, shown, ambiguous or nowhere", async () => {
    await setRules(server, place.doc, { [`${table}:*`]: denies("R", "rec.Owner == 'boss'") });
    const before = await contents();
    const answers = await answersOf((name) => `Name,Price\n${name},9\n`, "Name");
    expect([...new Set(answers)]).toEqual([expect.stringMatching(/^\[403,.*access\.rules/)]);
    expect(await contents()).toEqual(before);
    // Like other writes that look for rows.
    const upsert = await server.call("editor", "PUT", `${place.doc}/tables/${table}/records`, {
      records: [{ require: { Name: "shown" }, fields: { Price: 9 } }],
    });
    expect([upsert.status, upsert.body.error]).toEqual([403, JSON.parse(answers[0] ?? "")[1].error]);
  });

  test("rows can be added without a key, and the counts are those of the file", async () => {
    await setRules(server, place.doc, { [`${table}:*`]: denies("R", "rec.Owner == 'boss'") });
    const { status, body } = await importing("Name,Price\nhidden,9\nnowhere,9\n", {});
    expect([status, body.tables[0]]).toMatchObject([200, { added: 2, updated: 0, unchanged: 0, duplicates: 0 }]);
  });
});

describe("where a column is hidden", () => {
  test("it is neither a key, nor compared, nor matched", async () => {
    await setRules(server, place.doc, { [`${table}:Price`]: denies("R") });
    for (const query of ["", "&dryRun=1"]) {
      const answers = [
        await importing("Name,Price\nshown,4\n", { key: ["Name"] }, query),
        await importing("Name,Price\nshown,5\n", { key: ["Name"] }, query),
        await importing("Name,Other\nshown,4\n", { key: ["Name"], columns: { Other: "Price" } }, query),
        await importing("Name,Price\nshown,4\n", { key: ["Price"] }, query),
      ];
      for (const { status, body } of answers)
        expect([status, body.details.code, JSON.stringify(body)]).toEqual([
          400,
          "column.unknown",
          expect.not.stringMatching(/[45]/),
        ]);
    }
    const answers = await answersOf((name) => `Name,Owner\n${name},me\n`, "Name");
    expect([...new Set(answers)]).toEqual([expect.stringMatching(/^\[403,.*access\.rules/)]);
  });

  test("in some rows, it is not compared: the answer does not depend on its cells", async () => {
    await setRules(server, place.doc, { [`${table}:Price`]: denies("R", "rec.Owner == 'boss'") });
    const answers = await answersOf((name) => `Name,Price\n${name},1\n`, "Name");
    const others = await answersOf((name) => `Name,Price\n${name},4\n`, "Price");
    expect([...new Set([...answers, ...others])]).toEqual([expect.stringMatching(/^\[403,.*access\.rules/)]);
  });
});

describe("where everything can be read", () => {
  test("rows that must not be changed are refused, and equal ones are not", async () => {
    await setRules(server, place.doc, { [`${table}:*`]: denies("U", "rec.Owner == 'boss'") });
    const before = await contents();
    const refused = await importing("Name,Price\nshown,5\nhidden,5\n", { key: ["Name"] });
    expect([refused.status, refused.body.details.code]).toEqual([403, "access.rules"]);
    expect(await contents()).toEqual(before);
    const { status, body } = await importing("Name,Price\nshown,5\nhidden,1\n", { key: ["Name"] });
    expect([status, body.tables[0]]).toMatchObject([200, { updated: 1, unchanged: 1 }]);
  });

  test("rows that must not be added are refused", async () => {
    await setRules(server, place.doc, { [`${table}:*`]: denies("C") });
    expect((await importing("Name,Price\nnew,5\n", { key: ["Name"] })).status).toBe(403);
    expect((await importing("Name,Price\nnew,5\nshown,7\n", { key: ["Name"], onNew: "skip" })).body).toMatchObject({
      tables: [{ updated: 1, skipped: 1 }],
    });
  });

  test("owners update rows that others do not see", async () => {
    await setRules(server, place.doc, { [`${table}:*`]: denies("R", "rec.Owner == 'boss'") });
    const { body } = await importing("Name,Price\nhidden,5\n", { key: ["Name"] }, "", "owner");
    expect(body.tables[0]).toMatchObject({ updated: 1, added: 0 });
  });
});
