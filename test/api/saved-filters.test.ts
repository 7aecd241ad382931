/** The operator `saved` selects the rows that a section with the filter has in a download. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { Random } from "../helpers/random.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

const TYPES = {
  Text: "Text",
  Number: "Numeric",
  Whole: "Int",
  Checked: "Bool",
  Day: "Date",
  Time: "DateTime:Asia/Tokyo",
  Choice: "Choice",
  Choices: "ChoiceList",
  One: "Ref:People",
  Many: "RefList:People",
  Files: "Attachments",
  Anything: "Any",
} as const;
type Name = keyof typeof TYPES;

const DAY_S = 86_400;
const VALUES: Readonly<Record<Name, readonly unknown[]>> = {
  Text: ["a", "b", "10", "é", "[1]", "it's"],
  Number: [0, 1, 2.5, -3, 1e9],
  Whole: [0, 1, 2, -3],
  Checked: [true, false],
  Day: [-2, -1, 0, 1, 2, 30, 400],
  Time: [-2, -1, -0.4, 0, 0.4, 0.99, 1, 2, 30],
  Choice: ["red", "blue"],
  Choices: [["L", "red"], ["L", "red", "blue"], ["L", "a b", "blue"], ["L"]],
  One: [0, 1, 2],
  Many: [["L", 1], ["L", 1, 2], ["L", 2], ["L"]],
  Files: [["L"]],
  Anything: [0, 1, true, false, "a", "", "1"],
};
const STRAYS = [null, "", "stray", "red", ["L", "red"], 1];

const random = new Random(11);

let server: TestApp;
let place: DocumentFixture;
let section = 0;
const refs = new Map<string, number>();

const today = (): number => Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;

function cellOf(name: Name): unknown {
  if (random.oneIn(5)) return random.pick(STRAYS);
  const value = random.pick(VALUES[name]);
  return name === "Day" || name === "Time" ? today() + Number(value) * DAY_S : value;
}

const ROWS = 120;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  const { must } = server;
  const apply = (actions: unknown[]) => must("POST", `${place.doc}/apply`, actions);
  await must("POST", `${place.doc}/tables`, { tables: [{ id: "People", columns: [{ id: "Name" }] }] });
  await must("POST", `${place.doc}/tables/People/records`, {
    records: [{ fields: { Name: "Ann" } }, { fields: { Name: "Bo" } }],
  });
  const columns = Object.entries({ Key: "Int", ...TYPES }).map(([id, type]) => ({ id, fields: { type } }));
  const broken = { id: "Broken", fields: { type: "Any", isFormula: true, formula: "1 / ($Key % 3)" } };
  await must("POST", `${place.doc}/tables`, { tables: [{ id: "Rows", columns: [...columns, broken] }] });
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    Key: at + 1,
    ...Object.fromEntries(Object.keys(TYPES).map((name) => [name, cellOf(name as Name)])),
  }));
  const cells = Object.fromEntries(
    ["Key", ...Object.keys(TYPES)].map((id) => [id, rows.map((row) => (row as Record<string, unknown>)[id])]),
  );
  await apply([["BulkAddRecord", "Rows", rows.map(() => null), cells]]);
  const tables = await must<{ tables: { id: string; fields: { rawViewSectionRef: number } }[] }>(
    "GET",
    `${place.doc}/tables`,
  );
  section = tables.tables.find(({ id }) => id === "Rows")?.fields.rawViewSectionRef ?? 0;
  const listed = await must<{ columns: { id: string; fields: { colRef: number } }[] }>(
    "GET",
    `${place.doc}/tables/Rows/columns`,
  );
  for (const { id, fields } of listed.columns) refs.set(id, fields.colRef);
});
afterAll(() => server[Symbol.asyncDispose]());

const step = () => ({
  quantity: random.pick([-2, -1, 0, 1]),
  unit: random.pick(["day", "week", "month", "year"]),
  ...(random.oneIn(2) && { endOf: true }),
});

function bound(name: Name): unknown {
  if (name !== "Day" && name !== "Time") return random.pick([0, 1, 2.5, -3, 1e9]);
  if (random.oneIn(2)) return today() + random.pick([-2, -1, 0, 0.5, 1, 30]) * DAY_S;
  return random.oneIn(2) ? [step()] : [step(), { quantity: random.pick([-1, 2]), unit: "day" }];
}

/** Items of lists, and values that do not occur. */
function listed(name: Name): unknown {
  if (random.oneIn(5)) return random.pick([null, "", "stray", 99, true, '["L","red"]', '["E","ZeroDivisionError"]']);
  const cell = cellOf(name);
  return Array.isArray(cell) ? (cell[random.pick([1, 2])] ?? null) : cell;
}

function storedFilter(name: Name): object {
  if (random.oneIn(3)) return random.oneIn(2) ? { min: bound(name) } : { max: bound(name) };
  if (random.oneIn(6)) return { min: bound(name), max: bound(name) };
  const list = Array.from({ length: random.pick([0, 1, 2, 4]) }, () => listed(name));
  return random.oneIn(2) ? { included: list } : { excluded: list };
}

async function keysOf(path: string): Promise<string[]> {
  const headers = { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` };
  const answer = await server.app.handle(new Request(`http://quern.test${place.doc}${path}`, { headers }));
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return text.startsWith("{")
    ? (JSON.parse(text) as { records: { fields: { Key: number } }[] }).records.map(({ fields }) => String(fields.Key))
    : text
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",")[0] ?? "");
}

const exported = (name: string, filter: object): Promise<string[]> =>
  keysOf(
    `/download/csv?viewSection=${section}&filters=${encodeURIComponent(
      JSON.stringify([{ colRef: refs.get(name), filter: JSON.stringify(filter) }]),
    )}`,
  );

const selected = (filter: object): Promise<string[]> =>
  keysOf(`/tables/Rows/records?sort=manualSort&filter=${encodeURIComponent(JSON.stringify(filter))}`);

test.each([...(Object.keys(TYPES) as Name[]), "Broken" as const])("%s", async (name) => {
  for (let round = 0; round < 40; round++) {
    const filter = storedFilter(name === "Broken" ? "Anything" : name);
    const rows = await exported(name, filter);
    expect([filter, await selected({ [name]: { saved: filter } })]).toEqual([filter, rows]);
    const others = await selected({ not: { [name]: { saved: filter } } });
    expect([filter, others.length]).toEqual([filter, ROWS - rows.length]);
  }
});

test.each(["null", "[1]", "x"])("a section with the filter %s shows all rows", async (filter) => {
  const added = { viewSectionRef: section, colRef: refs.get("Text"), filter };
  const { retValues } = await server.must<{ retValues: number[] }>("POST", `${place.doc}/apply`, [
    ["AddRecord", "_grist_Filters", null, added],
  ]);
  expect(await keysOf(`/download/csv?viewSection=${section}`)).toHaveLength(ROWS);
  await server.must("POST", `${place.doc}/apply`, [["RemoveRecord", "_grist_Filters", retValues[0]]]);
});

test("every kind of filter selects some rows, and not all", async () => {
  for (const [name, filter] of [
    ["Text", { included: ["a"] }],
    ["Text", { excluded: ["a", null] }],
    ["Choices", { excluded: ["red"] }],
    ["Number", { min: 1 }],
    ["Time", { min: [{ quantity: 0, unit: "day" }], max: [{ quantity: 0, unit: "day" }] }],
    ["Broken", { included: ['["E","ZeroDivisionError"]'] }],
  ] as const) {
    const rows = await selected({ [name]: { saved: filter } });
    expect([name, rows.length > 0 && rows.length < ROWS]).toEqual([name, true]);
  }
});

test.each([5, null, "x", { included: 5 }, { min: "soon" }, { max: [{ quantity: 1, unit: "eon" }] }])(
  "refuses %j",
  async (saved) => {
    const filter = encodeURIComponent(JSON.stringify({ Text: { saved } }));
    const problem = await keysOf(`/tables/Rows/records?filter=${filter}`).catch((error: unknown) => String(error));
    expect(problem).toContain("filter.operand");
  },
);
