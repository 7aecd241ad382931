import { expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";

/** A document with a table of `count` rows and a formula that takes a step for each number up to `$N`. */
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

test("a cell that takes too long or too much shows it, and the change is made", async () => {
  await using app = await testApp({ flags: { "formula-steps": "100000", "formula-memory": "1MB" } });
  const table = await documentWith(app, 1);
  await app.must("PATCH", `${table}/records`, { records: [{ id: 1, fields: { N: 2_000_000 } }] });
  const answer = await app.must<Records>("GET", `${table}/records`);
  expect(errorsOf(answer, "Sum")).toEqual(["TimeoutError"]);
  expect(errorsOf(answer, "Text")).toEqual(["MemoryError"]);
  expect(answer.records[0]).toMatchObject({ fields: { N: 2_000_000 } });
});

test("cells that come when a change has used up its budget show it; the next change has one of its own", async () => {
  await using app = await testApp({ flags: { "formula-change-steps": "1000000" } });
  const table = await documentWith(app, 200);
  const errors = errorsOf(await app.must<Records>("GET", `${table}/records`), "Sum");
  expect(errors.at(0)).toBeUndefined();
  expect(errors.at(-1)).toBe("TimeoutError");
  await app.must("PATCH", `${table}/records`, { records: [{ id: 200, fields: { N: 3 } }] });
  expect(errorsOf(await app.must<Records>("GET", `${table}/records`), "Sum").at(-1)).toBeUndefined();
});
