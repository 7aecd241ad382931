import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { type DocumentFixture, runSteps, createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
/** Numbers of the table and of its columns, and the path of the summary. */
let table: number;
let team: number;
let summary: string;

interface Columns {
  columns: { id: string; fields: { colRef: number } }[];
}

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  const columns = [
    { id: "Team", fields: { type: "Choice" } },
    { id: "Hours", fields: { type: "Numeric" } },
  ];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Work", columns }] });
  const rows = [
    { fields: { Team: "red", Hours: 2 } },
    { fields: { Team: "blue", Hours: 3 } },
    { fields: { Team: "red", Hours: 4 } },
  ];
  await server.must("POST", `${place.doc}/tables/Work/records`, { records: rows });
  const listed = await server.must<Columns>("GET", `${place.doc}/tables/Work/columns`);
  team = listed.columns.find(({ id }) => id === "Team")?.fields.colRef ?? 0;
  const { tables } = await server.must<{ tables: { id: string; fields: { tableRef: number } }[] }>(
    "GET",
    `${place.doc}/tables`,
  );
  table = tables.find(({ id }) => id === "Work")?.fields.tableRef ?? 0;
  summary = `${place.doc}/tables/Work_summary_Team`;
});
afterAll(() => server[Symbol.asyncDispose]());

const rows = (...groups: [id: number, team: string, group: number[], hours: number][]) => ({
  records: groups.map(([id, name, group, hours]) => ({
    id,
    fields: { Team: name, group: ["L", ...group], count: group.length, Hours: hours },
  })),
});

test("a summary is created by editors, readable by viewers, and follows writes", async () => {
  const create = ["CreateViewSection", table, 0, "record", [team], null];
  await runSteps(server, [
    ["viewer", "POST", `${place.doc}/apply`, [create], 403],
    ["editor", "POST", `${place.doc}/apply`, [["CreateViewSection", table, 0, "record", [999], null]], 400],
    ["editor", "POST", `${place.doc}/apply`, [create], 200, { isModification: true }],
    ["viewer", "GET", `${summary}/records`, undefined, 200, rows([1, "red", [1, 3], 6], [2, "blue", [2], 3])],
    ["editor", "PATCH", `${place.doc}/tables/Work/records`, { records: [{ id: 2, fields: { Team: "red" } }] }, 200],
    ["viewer", "GET", `${summary}/records`, undefined, 200, rows([1, "red", [1, 2, 3], 9])],
    ["editor", "POST", `${place.doc}/tables/Work/records`, { records: [{ fields: { Team: "green", Hours: 1 } }] }, 200],
    ["viewer", "GET", `${summary}/records`, undefined, 200, rows([1, "red", [1, 2, 3], 9], [2, "green", [4], 1])],
  ]);
});

test("its records and group-by columns cannot be changed in any way", async () => {
  const records = [{ id: 1, fields: { Team: "pink" } }];
  const changes = [{ colId: "Crew" }, { label: "Crew" }, { type: "Text" }, { formula: "1" }, { isFormula: true }];
  await runSteps(server, [
    ["editor", "PATCH", `${summary}/records`, { records }, 400],
    ["editor", "POST", `${summary}/records`, { records: [{ fields: {} }] }, 400],
    ["editor", "PUT", `${summary}/records`, { records: [{ require: { Team: "pink" } }] }, 400],
    ["editor", "POST", `${summary}/records/delete`, [1], 400],
    ["editor", "POST", `${summary}/data`, { Team: ["pink"] }, 400],
    [
      "editor",
      "POST",
      `${place.doc}/apply`,
      [["AddRecord", "Work_summary_Team", null, { Team: "pink" }]],
      200,
      { retValues: [3] },
    ],
    ["editor", "GET", `${summary}/records`, undefined, 200, rows([1, "red", [1, 2, 3], 9], [2, "green", [4], 1])],
    [
      "editor",
      "PATCH",
      `${place.doc}/tables`,
      { tables: [{ id: "Work_summary_Team", fields: { tableId: "X" } }] },
      400,
    ],
    ["editor", "DELETE", `${summary}/columns/Team`, undefined, 400],
    ["editor", "POST", `${summary}/columns`, { columns: [{ id: "X", fields: { isFormula: false } }] }, 400],
  ]);
  for (const fields of changes) {
    const { status, body } = await server.call("editor", "PATCH", `${summary}/columns`, {
      columns: [{ id: "Team", fields }],
    });
    expect([status, typeof body.error]).toEqual([400, "string"]);
  }
});

test("its formulas can, and columns be added", async () => {
  const columns = [{ id: "Mean", fields: { formula: "AVERAGE($group.Hours)" } }];
  await runSteps(server, [
    ["editor", "POST", `${summary}/columns`, { columns }, 200, { columns: [{ id: "Mean" }] }],
    [
      "editor",
      "PATCH",
      `${summary}/columns`,
      { columns: [{ id: "Hours", fields: { formula: "MAX($group.Hours)" } }] },
      200,
    ],
    [
      "viewer",
      "GET",
      `${summary}/records?filter=${encodeURIComponent('{"Team":["red"]}')}`,
      undefined,
      200,
      { records: [{ id: 1, fields: { Hours: 4, Mean: 3, Team: "red" } }] },
    ],
  ]);
});

test("it is deleted with its group-by column, or with its source", async () => {
  const ids = async () =>
    (await server.must<{ tables: { id: string }[] }>("GET", `${place.doc}/tables`)).tables.map(({ id }) => id);
  await server.must("PATCH", `${place.doc}/tables/Work/columns`, {
    columns: [{ id: "Team", fields: { colId: "Crew" } }],
  });
  expect(await ids()).toContain("Work_summary_Crew");
  await server.must("DELETE", `${place.doc}/tables/Work/columns/Crew`);
  expect((await ids()).filter((id) => id.startsWith("Work"))).toEqual(["Work", "Work_summary"]);
  await server.must("POST", `${place.doc}/apply`, [["RemoveTable", "Work"]]);
  expect((await ids()).filter((id) => id.startsWith("Work"))).toEqual([]);
});
