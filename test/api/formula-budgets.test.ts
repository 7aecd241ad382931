import { expect, test } from "bun:test";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";

/** Creates a document with a table of `count` rows and a formula that takes a step for each number up to `$N`. */
async function documentWith(app: TestApp, count: number): Promise<string> {
  const workspace = await app.must<number>("POST", "/api/orgs/team/workspaces", { name: "Budgets" });
  const doc = await app.must<string>("POST", `/api/workspaces/${workspace}/docs`, { name: "Budgets" });
  await app.must("POST", `/api/docs/${doc}/tables`, {
    tables: [
      {
        id: "Work",
        columns: [
          { id: "N", fields: { type: "Int" } },
          { id: "Sum", fields: { type: "Any", isFormula: true, formula: "sum(x for x in range($N))" } },
          { id: "Text", fields: { type: "Any", isFormula: true, formula: "len('x' * $N)" } },
        ],
      },
    ],
  });
  const records = Array.from({ length: count }, () => ({ fields: { N: 10_000 } }));
  await app.must("POST", `/api/docs/${doc}/tables/Work/records`, { records });
  return `/api/docs/${doc}/tables/Work`;
}

interface Records {
  readonly records: readonly { readonly id: number; readonly errors?: Record<string, string> }[];
}

const errorsOf = ({ records }: Records, column: string): (string | undefined)[] =>
  records.map(({ errors }) => errors?.[column]);

test("a cell that exceeds its time or memory shows an error, and the change is applied", async () => {
  await using app = await testApp({ flags: { "formula-steps": "100000", "formula-memory": "1MB" } });
  const table = await documentWith(app, 1);
  await app.must("PATCH", `${table}/records`, { records: [{ id: 1, fields: { N: 2_000_000 } }] });
  const answer = await app.must<Records>("GET", `${table}/records`);
  expect(errorsOf(answer, "Sum")).toEqual(["TimeoutError"]);
  expect(errorsOf(answer, "Text")).toEqual(["MemoryError"]);
  expect(answer.records[0]).toMatchObject({ fields: { N: 2_000_000 } });
});

test("cells evaluated after a change has used up its budget show an error; the next change has a new budget", async () => {
  await using app = await testApp({ flags: { "formula-change-steps": "1000000" } });
  const table = await documentWith(app, 200);
  const errors = errorsOf(await app.must<Records>("GET", `${table}/records`), "Sum");
  expect(errors.at(0)).toBeUndefined();
  expect(errors.at(-1)).toBe("TimeoutError");
  await app.must("PATCH", `${table}/records`, { records: [{ id: 200, fields: { N: 3 } }] });
  expect(errorsOf(await app.must<Records>("GET", `${table}/records`), "Sum").at(-1)).toBeUndefined();
});

test("a change whose formula exceeds the time limit of a cell gets 400 naming it; imports and undo do not", async () => {
  await using app = await testApp({ flags: { "formula-steps": "1000000000000", "formula-cell-time-ms": "50" } });
  const { doc } = await sampleDocument(app);
  const columns = [
    { id: "N", fields: { type: "Int" } },
    { id: "Endless", fields: { type: "Any", isFormula: true, formula: "while $N > 5: pass\nreturn $N" } },
  ];
  const path = `/api/docs/${doc}`;
  const table = `${path}/tables/Work`;
  await app.must("POST", `${path}/tables`, { tables: [{ id: "Work", columns }] });
  await app.must("POST", `${table}/records`, { records: [{ fields: { N: 1 } }] });

  const refused = await app.call("owner", "PATCH", `${table}/records`, { records: [{ id: 1, fields: { N: 9 } }] });
  expect(refused.status).toBe(400);
  expect(refused.body).toEqual({
    error: 'A formula takes longer than 0.05 s (column "Endless" of table "Work", row 1)',
    details: { code: "formula.time_limit", table: "Work", column: "Endless", row: 1 },
  });

  const raw = new FormData();
  raw.append("upload", new File(["N\n9\n2\n"], "rows.csv"));
  const imported = await app.call("owner", "POST", `${path}/import?table=Work`, undefined, { raw });
  expect(imported.status).toBe(200);
  expect(errorsOf(await app.must<Records>("GET", `${table}/records`), "Endless")).toEqual([
    undefined,
    "TimeoutError",
    undefined,
  ]);

  await app.must("POST", `${table}/records/delete`, [2]);
  const { states } = await app.must<{ states: { n: number }[] }>("GET", `${path}/states`);
  await app.must("POST", `${path}/states/${states[0]?.n}/undo`);
  expect(errorsOf(await app.must<Records>("GET", `${table}/records`), "Endless")[1]).toBe("TimeoutError");
  await app.must("PATCH", `${table}/columns`, { columns: [{ id: "Endless", fields: { formula: "$N * 2" } }] });
  expect(errorsOf(await app.must<Records>("GET", `${table}/records`), "Endless")).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
