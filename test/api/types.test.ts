import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setRules } from "../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";
import { typeProblems } from "../helpers/type-check.ts";

let server: TestApp;
/** `/api/docs/{id}` of a document that the viewer and the editor share. */
let doc: string;

interface Column {
  readonly id: string;
  readonly type?: string;
  readonly label?: string;
  readonly description?: string;
  readonly formula?: string;
  readonly isFormula?: boolean;
  readonly widgetOptions?: string;
}

const formula = (id: string, text: string, type = "Any"): Column => ({ id, type, formula: text, isFormula: true });
const addTable = (id: string, columns: readonly Column[]) =>
  server.must("POST", `${doc}/tables`, {
    tables: [{ id, columns: columns.map(({ id, ...fields }) => ({ id, fields })) }],
  });
const types = async (as: Caller): Promise<string> => {
  const { status, body, headers } = await server.call(as, "GET", `${doc}/types.d.ts`);
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  return String(body);
};

/** Columns of Orders. The rules hide `Secret` and the table `Private` from the viewer. */
const COLUMNS: readonly (readonly [column: Column, declared: string])[] = [
  [{ id: "Name", type: "Text", label: "Full name" }, '{ type: "Text" }'],
  [{ id: "Amount", type: "Int" }, '{ type: "Int" }'],
  [{ id: "Price", type: "Numeric" }, '{ type: "Numeric" }'],
  [{ id: "Paid", type: "Bool" }, '{ type: "Bool" }'],
  [{ id: "Ordered", type: "Date" }, '{ type: "Date" }'],
  [{ id: "Sent", type: "DateTime:Europe/Berlin" }, '{ type: "DateTime" }'],
  [{ id: "Files", type: "Attachments" }, '{ type: "Attachments" }'],
  [{ id: "Loose", type: "Any" }, '{ type: "Any" }'],
  [
    { id: "State", type: "Choice", widgetOptions: '{"choices":["open","done"]}' },
    '{ type: "Choice"; choices: "open" | "done" }',
  ],
  [{ id: "Tags", type: "ChoiceList", widgetOptions: '{"choices":["new"]}' }, '{ type: "ChoiceList"; choices: "new" }'],
  [{ id: "Broken", type: "Choice", widgetOptions: "{" }, '{ type: "Choice" }'],
  [{ id: "Customer", type: "Ref:Customers" }, '{ type: "Ref"; target: "Customers" }'],
  [{ id: "Friends", type: "RefList:Customers" }, '{ type: "RefList"; target: "Customers" }'],
  [{ id: "Secret", type: "Int" }, '{ type: "Int" }'],
  [{ id: "Owner", type: "Ref:Private" }, '{ type: "Ref"; target: "Private" }'],
  [formula("Total", "$Price * $Amount"), '{ type: "Any"; value: number; computed: true }'],
  [formula("Typed", "$Price * 2", "Numeric"), '{ type: "Numeric"; computed: true }'],
  [formula("Taxed", "$Total * 1.2"), '{ type: "Any"; value: number; computed: true }'],
  [formula("Shout", "$Name.upper()"), '{ type: "Any"; value: string; computed: true }'],
  [formula("Dear", "$Price > 10"), '{ type: "Any"; value: boolean; computed: true }'],
  [
    formula("Mixed", 'if $Paid:\n  return "paid"\nreturn $Price'),
    '{ type: "Any"; value: number | string; computed: true }',
  ],
  [formula("Town", "$Customer.City"), '{ type: "Any"; value: string; computed: true }'],
  [formula("Sum", "SUM(Customers.all.Age)"), '{ type: "Any"; value: number; computed: true }'],
  [formula("Year", "YEAR($Ordered)"), '{ type: "Any"; value: number; computed: true }'],
  [formula("Someone", "Customers.lookupOne(City=$Name)"), '{ type: "Any"; computed: true }'],
  [formula("FromLoose", "$Loose"), '{ type: "Any"; computed: true }'],
  [formula("Cyclic", "$Cyclic + 1"), '{ type: "Any"; computed: true }'],
  [formula("Invalid", "$Price +"), '{ type: "Any"; computed: true }'],
  [formula("Revealing", "$Secret + 1"), '{ type: "Any"; value: number; computed: true }'],
  [formula("Through", "$Owner.Salary"), '{ type: "Any"; value: number; computed: true }'],
  [formula("Indirect", "$Revealing * 2"), '{ type: "Any"; value: number; computed: true }'],
];

/** Columns whose declarations depend on something that the rules hide. */
const RESTRICTED: Readonly<Record<string, string>> = {
  Owner: '{ type: "Ref" }',
  Revealing: '{ type: "Any"; computed: true }',
  Through: '{ type: "Any"; computed: true }',
  Indirect: '{ type: "Any"; computed: true }',
};

beforeAll(async () => {
  server = await testApp();
  ({ doc } = await createSharedFixture(server));
  await addTable("Customers", [
    { id: "City", type: "Text" },
    { id: "Age", type: "Int" },
  ]);
  await addTable("Private", [{ id: "Salary", type: "Int" }]);
  await addTable(
    "Orders",
    COLUMNS.map(([column]) => column),
  );
  await setRules(server, doc, {
    "*:*": [{ permissions: "+R" }],
    "Private:*": [{ formula: "user.Access != OWNER", permissions: "-R" }],
    "Orders:Secret": [{ formula: "user.Access != OWNER", permissions: "-R" }],
    "Orders:*": [{ permissions: "+R" }],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const lineOf = (text: string, id: string): string | undefined =>
  new RegExp(`^    ${id}: (.*);$`, "m").exec(text.slice(text.indexOf("  Orders: {")))?.[1];

describe("the owner's types", () => {
  test.each(COLUMNS.map(([column, declared]) => [column.id, declared] as const))("%s", async (id, declared) => {
    expect(lineOf(await types("owner"), id)).toBe(declared);
  });

  test("compile, and have the labels", async () => {
    const text = await types("owner");
    expect(text).toContain('    /** Full name */\n    Name: { type: "Text" };');
    expect(await typeProblems({ "schema.d.ts": text })).toEqual([]);
  }, 30_000);
});

describe("the viewer's types", () => {
  test.each(COLUMNS.map(([column, declared]) => [column.id, declared] as const))("%s", async (id, declared) => {
    const expected = id === "Secret" ? undefined : (RESTRICTED[id] ?? declared);
    expect(lineOf(await types("viewer"), id)).toBe(expected);
  });

  test("have no name of anything hidden", async () => {
    const text = await types("viewer");
    for (const name of ["Secret", "Private", "Salary"]) expect(text).not.toContain(name);
  });

  test("do not show by their ETag that something hidden changes", async () => {
    const tagOf = async () => (await server.call("viewer", "GET", `${doc}/types.d.ts`)).headers.get("etag");
    const before = await tagOf();
    await server.must("POST", `${doc}/tables/Private/columns`, { columns: [{ id: "Bonus", fields: { type: "Int" } }] });
    expect(await tagOf()).toBe(before);
  });
});

test("types that have not changed are not sent again", async () => {
  const first = await server.call("owner", "GET", `${doc}/types.d.ts`);
  const again = await server.call("owner", "GET", `${doc}/types.d.ts`, undefined, {
    headers: { "If-None-Match": first.headers.get("etag") ?? "" },
  });
  expect([again.status, again.body]).toEqual([304, ""]);
});

test("declarations of several megabytes are complete", async () => {
  const { doc: wide } = await createSharedFixture(server);
  const description = "x".repeat(200_000);
  const columns = Array.from({ length: 30 }, (_, at) => ({ id: `C${at}`, fields: { description } }));
  await server.must("POST", `${wide}/tables`, { tables: [{ id: "Wide", columns }] });
  const { body } = await server.call("owner", "GET", `${wide}/types.d.ts`);
  expect(String(body).match(/^ {4}C\d+: /gm)).toHaveLength(30);
  expect(String(body)).toEndWith("  };\n}\n");
});

test.each<[Caller, number]>([
  ["stranger", 403],
  ["anon", 403],
  ["badkey", 401],
])("%s gets %d", async (as, status) => {
  expect((await server.call(as, "GET", `${doc}/types.d.ts`)).status).toBe(status);
});
