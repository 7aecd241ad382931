/** Imports that update existing rows by a key. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Random } from "../helpers/random.ts";
import { testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Options {
  readonly columns?: Record<string, string | null>;
  readonly key?: readonly string[];
  readonly onMatch?: string;
  readonly onNew?: string;
  readonly query?: string;
  readonly as?: Caller;
  readonly table?: string;
  readonly name?: string;
}

async function importing(text: string, { query = "", as = "owner", table = "Items", name, ...options }: Options = {}) {
  const form = new FormData();
  form.append("upload", new File([text], name ?? "items.csv"));
  for (const [field, value] of Object.entries(options))
    form.append(field, typeof value === "string" ? value : JSON.stringify(value));
  return server.call(as, "POST", `${place.doc}/import?table=${table}${query}`, undefined, { raw: form });
}

interface Row {
  id: number;
  fields: Record<string, unknown>;
}
const rowsOf = async (table = "Items") =>
  (await server.must<{ records: Row[] }>("GET", `${place.doc}/tables/${table}/records`)).records.map(
    ({ id, fields }) => [id, ...Object.values(fields)],
  );
const stateOf = async () =>
  (await server.must<{ states: { n: number }[] }>("GET", `${place.doc}/states`)).states[0]?.n ?? 0;

let number = 0;
/** Creates a table of items, each time under another name. */
async function createItems(rows: readonly Record<string, unknown>[]): Promise<string> {
  const id = `Items${++number}`;
  const columns = [
    { id: "Item", fields: { type: "Text" } },
    { id: "Price", fields: { type: "Numeric" } },
    { id: "Due", fields: { type: "Date" } },
    { id: "Twice", fields: { type: "Numeric", isFormula: true, formula: "$Price * 2" } },
  ];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id, columns }] });
  if (rows.length > 0)
    await server.must("POST", `${place.doc}/tables/${id}/records`, { records: rows.map((fields) => ({ fields })) });
  return id;
}

const DAY = 1_772_409_600;
const BELL = { Item: "Bell", Price: 12.5, Due: DAY };
const LOCK = { Item: "Lock", Price: 27.5, Due: DAY };

const counts = ({ added, updated, unchanged, skipped, duplicates, emptyKeys }: Record<string, number>) => [
  added,
  updated,
  unchanged,
  skipped,
  duplicates,
  emptyKeys,
];

describe("a key", () => {
  const CSV = "Item,Price\nBell,13\nLock,27.5\nHelmet,49\n";
  const cases: [options: Options, counted: number[], rows: unknown[][]][] = [
    [
      {},
      [1, 1, 1, 0, 0, 0],
      [
        [1, "Bell", 13, DAY, 26],
        [2, "Lock", 27.5, DAY, 55],
        [3, "Helmet", 49, null, 98],
      ],
    ],
    [
      { onMatch: "skip" },
      [1, 0, 0, 2, 0, 0],
      [
        [1, "Bell", 12.5, DAY, 25],
        [2, "Lock", 27.5, DAY, 55],
        [3, "Helmet", 49, null, 98],
      ],
    ],
    [
      { onNew: "skip" },
      [0, 1, 1, 1, 0, 0],
      [
        [1, "Bell", 13, DAY, 26],
        [2, "Lock", 27.5, DAY, 55],
      ],
    ],
    [
      { onMatch: "skip", onNew: "skip" },
      [0, 0, 0, 3, 0, 0],
      [
        [1, "Bell", 12.5, DAY, 25],
        [2, "Lock", 27.5, DAY, 55],
      ],
    ],
  ];
  test.each(cases)("with %p counts %p, also in a dry run", async (options, counted, rows) => {
    const table = await createItems([BELL, LOCK]);
    const before = await rowsOf(table);
    const dry = await importing(CSV, { ...options, table, key: ["Item"], query: "&dryRun=1" });
    expect([dry.status, counts(dry.body.tables[0])]).toEqual([200, counted]);
    expect(await rowsOf(table)).toEqual(before);
    const real = await importing(CSV, { ...options, table, key: ["Item"] });
    expect([real.status, counts(real.body.tables[0])]).toEqual([200, counted]);
    expect(await rowsOf(table)).toEqual(rows);
  });

  test("makes one change, which writes the cells that differ and can be undone", async () => {
    const table = await createItems([BELL, LOCK]);
    const before = await rowsOf(table);
    const state = await stateOf();
    const csv = "Item,Price,Due\nBell,13,2026-03-02\nLock,27.5,2026-04-01\nHelmet,49,2026-03-02\n";
    const { body } = await importing(csv, { table, key: ["Item"], query: "&change=1" });
    expect(body).toMatchObject({ actionNum: state + 1, actionHash: expect.any(String), isModification: true });
    const { body: compared } = await server.call("owner", "GET", `${place.doc}/compare?left=HEAD~&right=HEAD`);
    expect(JSON.stringify(compared)).not.toContain("27.5");
    await server.must("POST", `${place.doc}/states/${body.actionNum}/undo`, {});
    expect(await rowsOf(table)).toEqual(before);
  });

  test("that changes nothing adds no state", async () => {
    const table = await createItems([BELL]);
    const state = await stateOf();
    const { body } = await importing("Item,Price\nBell,12.5\n", { table, key: ["Item"], query: "&change=1" });
    expect(body).toMatchObject({ isModification: false, tables: [{ unchanged: 1, updated: 0 }] });
    expect(await stateOf()).toBe(state);
  });

  test("of several columns compares values by type, whatever their spelling", async () => {
    const table = await createItems([BELL, { ...BELL, Due: DAY + 86_400 }]);
    const csv = "Item;Due;Price\nBell;02.03.2026;1,5\nBell;03.03.2026;2,5\nbell;03.03.2026;3,5\n";
    const { body } = await importing(csv, { table, key: ["Item", "Due"] });
    expect(counts(body.tables[0])).toEqual([1, 2, 0, 0, 0, 0]);
    expect((await rowsOf(table)).map(([, item, price]) => [item, price])).toEqual([
      ["Bell", 1.5],
      ["Bell", 2.5],
      ["bell", 3.5],
    ]);
  });

  test("that is empty matches no row; a repeated one counts once, with its last row", async () => {
    const table = await createItems([BELL, { Item: "", Price: 1 }]);
    const csv = "Item,Price\nBell,1\n,2\nLock,3\nBell,4\n,5\nLock,6\nBell,7\n";
    const { body } = await importing(csv, { table, key: ["Item"] });
    expect([counts(body.tables[0]), body.tables[0].duplicateExamples]).toEqual([
      [3, 1, 0, 0, 3, 2],
      [["Bell"], ["Lock"]],
    ]);
    expect((await rowsOf(table)).map(([, item, price]) => [item, price])).toEqual([
      ["Bell", 7],
      ["", 1],
      ["", 2],
      ["", 5],
      ["Lock", 6],
    ]);
  });

  test("that several rows have is refused, and named; rows without a counterpart do not matter", async () => {
    const table = await createItems([BELL, BELL, LOCK, { Item: "Hat" }, { Item: "Hat" }]);
    const { status, body } = await importing("Item,Price\nLock,1\nBell,1\n", { table, key: ["Item"] });
    expect([status, body]).toEqual([
      400,
      {
        error: expect.stringContaining('2 rows of the table have the key "Bell"'),
        details: { code: "import.ambiguous_key" },
      },
    ]);
    expect((await rowsOf(table)).map(([, , price]) => price)).toEqual([12.5, 12.5, 27.5, null, null]);
    const skipping = await importing("Item,Price\nBell,1\n", { table, key: ["Item"], onMatch: "skip" });
    expect(counts(skipping.body.tables[0])).toEqual([0, 0, 0, 1, 0, 0]);
    expect((await importing("Item,Price\nLock,1\n", { table, key: ["Item"] })).status).toBe(200);
  });

  test("and values may be references, which match what they show", async () => {
    const items = await createItems([BELL, LOCK]);
    const columns = [
      { id: "What", fields: { type: `Ref:${items}` } },
      { id: "Count", fields: { type: "Int" } },
    ];
    const id = `Stock${number}`;
    await server.must("POST", `${place.doc}/tables`, { tables: [{ id, columns }] });
    const { body: shown } = await server.call("owner", "GET", `${place.doc}/tables/${items}/columns`);
    const { colRef } = shown.columns.find((one: { id: string }) => one.id === "Item").fields;
    await server.must("PATCH", `${place.doc}/tables/${id}/columns`, {
      columns: [{ id: "What", fields: { visibleCol: colRef } }],
    });
    await server.must("POST", `${place.doc}/tables/${id}/records`, { records: [{ fields: { What: 2, Count: 5 } }] });
    const { body } = await importing("What,Count\nLock,6\nBell,7\n", { table: id, key: ["What"] });
    expect(counts(body.tables[0])).toEqual([1, 1, 0, 0, 0, 0]);
    expect(await rowsOf(id)).toEqual([
      [1, 2, 6],
      [2, 1, 7],
    ]);
  });

  test("works with columns that the table gets from the file, and with empty ones", async () => {
    const table = await createItems([BELL, LOCK]);
    await server.must("POST", `${place.doc}/apply`, [["AddVisibleColumn", table, "Note", {}]]);
    const csv = "Item,Note,Colour\nBell,,red\nLock,heavy,\n";
    const options = { table, key: ["Item"], query: "&addColumns=1&change=1" };
    const dry = await importing(csv, { ...options, query: `${options.query}&dryRun=1` });
    expect(dry.body).toMatchObject({ size: { rows: 2, cells: 2, bytes: expect.any(Number), keptBytes: 104_857_600 } });
    const { body } = await importing(csv, options);
    expect([counts(dry.body.tables[0]), counts(body.tables[0])]).toEqual([
      [0, 2, 0, 0, 0, 0],
      [0, 2, 0, 0, 0, 0],
    ]);
    expect((await rowsOf(table)).map(([id, , , , , note, colour]) => [id, note, colour])).toEqual([
      [1, "", "red"],
      [2, "heavy", ""],
    ]);
    const again = await importing(csv, options);
    expect([counts(again.body.tables[0]), again.body.isModification]).toEqual([[0, 0, 2, 0, 0, 0], false]);
  });

  test("counts rows as unchanged where new columns get the values that their cells have anyway", async () => {
    const table = await createItems([BELL, LOCK]);
    await server.must("POST", `${place.doc}/apply`, [
      ["AddVisibleColumn", table, "Rank", { type: "Int", isFormula: true }],
    ]);
    const csv = "Item,Rank,Sold,Open\nBell,0,0,FALSE\nLock,1,0,TRUE\n";
    const { body } = await importing(csv, { table, key: ["Item"], query: "&addColumns=1" });
    expect(counts(body.tables[0])).toEqual([0, 1, 1, 0, 0, 0]);
    expect((await rowsOf(table)).map(([, , , , , ...rest]) => rest)).toEqual([
      [0, 0, false],
      [1, 0, true],
    ]);
    const again = await importing(csv, { table, key: ["Item"], query: "&change=1" });
    expect(again.body).toMatchObject({ isModification: false, tables: [{ unchanged: 2 }] });
  });

  test("of many sets of columns that differ is written exactly", async () => {
    const names = Array.from({ length: 10 }, (_, c) => `C${c}`);
    const id = `Wide${++number}`;
    const columns = ["Key", ...names].map((name) => ({ id: name, fields: { type: "Int" } }));
    await server.must("POST", `${place.doc}/tables`, { tables: [{ id, columns }] });
    const rows = Array.from({ length: 600 }, (_, r) => r);
    const cells = Object.fromEntries(names.map((name) => [name, rows.map(() => 0)]));
    await server.must("POST", `${place.doc}/apply`, [
      ["BulkAddRecord", id, rows.map(() => null), { Key: rows, ...cells }],
    ]);
    const lines = rows.map((r) => [r, ...names.map((_, c) => (r >> c) & 1)].join(","));
    const { body } = await importing(`Key,${names.join(",")}\n${lines.join("\n")}\n`, { table: id, key: ["Key"] });
    expect(counts(body.tables[0])).toEqual([0, 599, 1, 0, 0, 0]);
    expect((await rowsOf(id)).map(([, ...values]) => values.join(","))).toEqual(lines);
  });

  const refused: [options: Options, code: string][] = [
    [{ key: ["Price"] }, "import.ambiguous_key"],
    [{ key: ["None"] }, "request.invalid"],
    [{ key: ["Due"] }, "request.invalid"],
    [{ key: ["Twice"] }, "request.invalid"],
    [{ key: ["Item", "Item"] }, "request.invalid"],
    [{ key: [] }, "payload.invalid"],
    [{ key: Array.from({ length: 9 }, () => "Item") }, "payload.invalid"],
    [{ onMatch: "skip" }, "request.invalid"],
    [{ key: ["Item"], onNew: "maybe" }, "payload.invalid"],
  ];
  test.each(refused)("%p is refused with %s", async (options, code) => {
    const table = await createItems([
      { Item: "a", Price: 1 },
      { Item: "b", Price: 1 },
    ]);
    const { status, body } = await importing("Item,Price\na,1\n", { ...options, table });
    expect([status, body.details?.code]).toEqual([400, code]);
  });

  test("and columns require a table", async () => {
    const form = new FormData();
    form.append("upload", new File(["Item\na\n"], "items.csv"));
    form.append("columns", '{"Item": null}');
    expect((await server.call("owner", "POST", `${place.doc}/import`, undefined, { raw: form })).status).toBe(400);
  });
});

describe("columns", () => {
  test("are matched as requested, the others by name", async () => {
    const table = await createItems([]);
    const csv = "Name,,Item,Notes\nBell,3,ignored,x\n";
    const columns = { Name: "Item", B: "Price", Item: null, Notes: null };
    const { status, body } = await importing(csv, { table, columns });
    expect([status, body.tables[0].columns.map(({ id }: { id: string }) => id)]).toEqual([200, ["Item", "Price"]]);
    expect(counts(body.tables[0])).toEqual([1, 0, 0, 0, 0, 0]);
    expect(await rowsOf(table)).toEqual([[1, "Bell", 3, null, 6]]);
  });

  test("with equal labels are named by their letters", async () => {
    const table = await createItems([]);
    const { status } = await importing("x,x\n1,Bell\n", { table, columns: { A: "Price", B: "Item" } });
    expect([status, await rowsOf(table)]).toEqual([200, [[1, "Bell", 1, null, 2]]]);
  });

  const refused: [columns: Record<string, string | null>, code: string][] = [
    [{ None: "Item" }, "column.unknown"],
    [{ Item: "None" }, "column.unknown"],
    [{ Item: "manualSort" }, "column.unknown"],
    [{ Item: "Twice" }, "request.invalid"],
    [{ Item: "Price", Price: "Price" }, "request.invalid"],
    [{ Item: "Price", A: "Item" }, "request.invalid"],
    [{ Item: null, Price: null }, "request.invalid"],
    [{ Item: "Price" }, "column.unknown"],
  ];
  test.each(refused)("%p are refused with %s", async (columns, code) => {
    const table = await createItems([]);
    const { status, body } = await importing("Item,Price\na,1\n", { table, columns });
    expect([status, body.details?.code]).toEqual([400, code]);
  });
});

test("counts are exact for random rows of all types, in dry runs as well", async () => {
  const random = new Random(7);
  const pick = <T>(list: readonly T[]): T => random.pick(list);
  const people = `People${++number}`;
  await server.must("POST", `${place.doc}/tables`, {
    tables: [{ id: people, columns: [{ id: "Name", fields: { type: "Text" } }] }],
  });
  await server.must("POST", `${place.doc}/tables/${people}/records`, {
    records: ["Ann", "Bob"].map((Name) => ({ fields: { Name } })),
  });
  const shown = await server.must<{ columns: { fields: { colRef: number } }[] }>(
    "GET",
    `${place.doc}/tables/${people}/columns`,
  );
  const visibleCol = shown.columns[0]?.fields.colRef;
  const cells: Record<string, readonly string[]> = {
    Text: ["a", "A", " a", "", "7"],
    Numeric: ["0", "1.5", "-2", "", "n/a", "x"],
    Int: ["0", "3", "", "3.5"],
    Bool: ["TRUE", "FALSE", "", "x"],
    Date: ["2026-03-02", "02/03/2026", "", "soon"],
    Choice: ["red", "blue", ""],
    ChoiceList: ["red, blue", "blue", ""],
    [`Ref:${people}`]: ["Ann", "Bob", "Cy", ""],
  };
  const types = Object.keys(cells);
  for (let round = 0; round < 25; round++) {
    const id = `Mixed${++number}`;
    const columns = types.map((type, c) => ({
      id: `C${c}`,
      fields: { type, ...(type.startsWith("Ref:") && { visibleCol }) },
    }));
    await server.must("POST", `${place.doc}/tables`, { tables: [{ id, columns }] });
    const csv = (rows: number) =>
      `${columns.map((column) => column.id).join(",")}\n${Array.from({ length: rows }, () =>
        types.map((type) => `"${pick(cells[type] ?? [])}"`).join(","),
      ).join("\n")}\n`;
    await importing(csv(8), { table: id });
    const before = await rowsOf(id);
    const key = [...new Set([pick([0, 1, 2, 3, 4, 5, 7]), pick([0, 1, 2, 3, 4, 5, 7])])].map((c) => `C${c}`);
    const options = { table: id, key, onNew: pick(["add", "skip"]), onMatch: pick(["update", "skip"]) };
    const text = csv(10);
    const dry = await importing(text, { ...options, query: "&dryRun=1" });
    const real = await importing(text, options);
    expect([round, dry.status]).toEqual([round, real.status]);
    const after = await rowsOf(id);
    if (real.status !== 200) {
      expect([real.body.details.code, after]).toEqual(["import.ambiguous_key", before]);
      continue;
    }
    expect([round, counts(dry.body.tables[0])]).toEqual([round, counts(real.body.tables[0])]);
    const [added = 0, updated = 0, unchanged = 0, skipped = 0, duplicates = 0] = counts(real.body.tables[0]);
    const changed = before.filter((row, r) => JSON.stringify(row) !== JSON.stringify(after[r])).length;
    expect([round, added, updated]).toEqual([round, after.length - before.length, changed]);
    expect([round, added + updated + unchanged + skipped + duplicates]).toEqual([round, 10]);
    // The same file again changes nothing, except that rows without a key are added again.
    const again = counts((await importing(text, options)).body.tables?.[0] ?? {});
    if (again[0] !== undefined) expect([round, again[1]]).toEqual([round, 0]);
  }
}, 30_000);
