import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { setRules } from "../helpers/access-rules.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createTeaFixture } from "../helpers/tea-fixture.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  ({ doc } = await createTeaFixture(server));
  const columns = [
    { id: "Tea", fields: { type: "Ref:Tea" } },
    { id: "Name", fields: { isFormula: true, formula: "$Tea.Name" } },
    { id: "Teas", fields: { type: "RefList:Tea" } },
  ];
  await server.must("POST", `${doc}/tables`, { tables: [{ id: "Cup", columns }] });
});

const batch = (...operations: object[]) => server.call("owner", "POST", `${doc}/batch`, { operations });
const rows = async (table: string) =>
  (await server.must<{ records: unknown }>("GET", `${doc}/tables/${table}/records`)).records;
const states = async () => (await server.must<{ states: { n: number }[] }>("GET", `${doc}/states`)).states;
const add = (table: string, ...fields: object[]) => ({
  op: "add",
  table,
  records: fields.map((each) => ({ fields: each })),
});
const ref = (path: string) => ({ $ref: path });

test("operations use results of earlier ones, and are one state that one undo reverts", async () => {
  const before = [await rows("Tea"), await rows("Cup")];
  const [newest] = await states();
  const reply = await batch(
    { ...add("Tea", { Name: "Mate" }, { Name: "Oolong" }), as: "new" },
    add("Cup", { Tea: ref("new.ids.1"), Teas: ["L", ref("new.ids.0"), 1] }),
    {
      op: "update",
      table: "Tea",
      records: [{ id: ref("new.ids.0"), fields: { Name: "Yerba", Friend: ref("new.ids.1") } }],
    },
    {
      op: "upsert",
      as: "found",
      table: "Tea",
      records: [
        { require: { Name: "Yerba" }, fields: { Friend: 1 } },
        { require: { Name: "Chai" } },
        { require: { Name: "No" } },
      ],
    },
    { op: "upsert", table: "Tea", noadd: true, records: [{ require: { Name: "Nothing" } }] },
    { op: "delete", as: "gone", table: "Tea", ids: [2, ref("found.ids.1")] },
    { op: "delete", table: "Tea", ids: ref("gone.ids") },
  );
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      results: [
        { as: "new", ids: [3, 4] },
        { ids: [1] },
        { ids: [3] },
        { as: "found", ids: [3, 5, 6] },
        { ids: [null] },
        { as: "gone", ids: [2, 5] },
        { ids: [2, 5] },
      ],
    },
  ]);
  expect(await rows("Cup")).toMatchObject([{ id: 1, fields: { Tea: 4, Name: "Oolong", Teas: ["L", 3, 1] } }]);
  expect(await rows("Tea")).toMatchObject([
    { id: 1, fields: { Name: "Assam", Friend: 0 } },
    { id: 3, fields: { Name: "Yerba", Friend: 1, Length: 5 } },
    { id: 4 },
    { id: 6 },
  ]);
  const [after] = await states();
  expect(after?.n).toBe((newest?.n ?? 0) + 1);
  await server.must("POST", `${doc}/states/${after?.n}/undo`);
  expect([await rows("Tea"), await rows("Cup")]).toEqual(before);
});

const GOOD = add("Tea", { Name: "Good" });
const REFUSED: [name: string, operation: object, status: number, code: string][] = [
  ["an unknown table", add("Nowhere", {}), 404, "table.not_found"],
  ["an unknown column", add("Tea", { Nothing: 1 }), 400, "column.unknown"],
  ["a formula column", add("Tea", { Length: 1 }), 400, "column.read_only"],
  ["an unknown row", { op: "update", table: "Tea", records: [{ id: 99, fields: { Name: "x" } }] }, 400, "row.unknown"],
  [
    "different fields",
    {
      op: "update",
      table: "Tea",
      records: [
        { id: 1, fields: { Name: "x" } },
        { id: 2, fields: {} },
      ],
    },
    400,
    "record.fields_differ",
  ],
  ["an empty require", { op: "upsert", table: "Tea", records: [{ require: {} }] }, 400, "record.require_empty"],
  ["a reference to an unknown name", add("Cup", { Tea: ref("other.ids.0") }), 400, "request.invalid"],
  ["a reference to itself", { ...add("Cup", { Tea: ref("self.ids.0") }), as: "self" }, 400, "request.invalid"],
  ["a reference beyond the result", add("Cup", { Tea: ref("good.ids.1") }), 400, "request.invalid"],
  ["a reference of another form", add("Cup", { Tea: ref("good") }), 400, "request.invalid"],
  [
    "a list as a row id",
    { op: "update", table: "Tea", records: [{ id: ref("good.ids"), fields: {} }] },
    400,
    "payload.invalid",
  ],
];

test.each(REFUSED)("%s refuses the whole batch and names the operation", async (_, operation, status, code) => {
  const before = [await rows("Tea"), await states()];
  const reply = await batch({ ...GOOD, as: "good" }, operation, GOOD);
  expect([reply.status, reply.body.details]).toMatchObject([status, { code, operation: 1 }]);
  expect([await rows("Tea"), await states()]).toEqual(before);
});

const MALFORMED: [name: string, body: unknown][] = [
  ["no operations", { operations: [] }],
  ["an unknown operation", { operations: [{ op: "rename", table: "Tea" }] }],
  ["no table", { operations: [{ op: "add", records: [{}] }] }],
  ["no records", { operations: [{ op: "add", table: "Tea", records: [] }] }],
  ["an invalid name", { operations: [{ ...GOOD, as: "a.b" }] }],
  ["an object as a cell", { operations: [add("Tea", { Name: { a: 1 } })] }],
  ["too many operations", { operations: Array.from({ length: 1001 }, () => GOOD) }],
  ["a list", []],
];

test.each(MALFORMED)("%s is refused, and nothing is changed", async (_, body) => {
  const before = [await rows("Tea"), await states()];
  const reply = await server.call("owner", "POST", `${doc}/batch`, body);
  expect([reply.status, reply.body.details?.code]).toEqual([400, "payload.invalid"]);
  expect([await rows("Tea"), await states()]).toEqual(before);
});

test("a name twice is refused, and nothing is changed", async () => {
  const before = await rows("Tea");
  const reply = await batch({ ...GOOD, as: "a" }, GOOD, { ...GOOD, as: "a" });
  expect([reply.status, reply.body.details]).toEqual([400, { code: "request.invalid", operation: 2 }]);
  expect(await rows("Tea")).toEqual(before);
});

test("1,000 operations are applied", async () => {
  const reply = await batch(...Array.from({ length: 1000 }, (_, at) => add("Tea", { Name: `tea ${at}` })));
  expect([reply.status, reply.body.results.at(-1)]).toEqual([200, { ids: [1002] }]);
});

test("viewers cannot run a batch, and texts are parsed unless noparse is set", async () => {
  expect((await server.call("viewer", "POST", `${doc}/batch`, { operations: [GOOD] })).status).toBe(403);
  const operations = [add("Cup", { Tea: "1" })];
  await server.must("POST", `${doc}/batch`, { operations });
  await server.must("POST", `${doc}/batch?noparse=1`, { operations });
  expect(await rows("Cup")).toMatchObject([{ fields: { Tea: 1 } }, { fields: { Tea: "1" } }]);
});

test("access rules are checked for each operation, even if a later one would make it allowed", async () => {
  const denied = [{ formula: "user.Access == EDITOR and newRec.Name == 'secret'", permissions: "-CU" }];
  await setRules(server, doc, { "Tea:*": denied });
  const before = await rows("Tea");
  const rename = (Name: string) => ({ op: "update", table: "Tea", records: [{ id: 1, fields: { Name } }] });
  const cases: [object[], number | undefined][] = [
    [[rename("fine")], undefined],
    [[rename("Assam")], undefined],
    [[rename("fine"), rename("secret")], 1],
    [[rename("secret"), rename("Assam")], 0],
    [[GOOD, add("Tea", { Name: "secret" }), GOOD], 1],
  ];
  for (const [operations, operation] of cases) {
    const reply = await server.call("editor", "POST", `${doc}/batch`, { operations });
    const expected = operation === undefined ? [200, undefined] : [403, { code: "access.rules", operation }];
    expect([reply.status, reply.body.details]).toMatchObject(expected);
  }
  expect(await rows("Tea")).toEqual(before);
});
