/** Each kind of change, and every route that reads past states. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { formOf } from "../../helpers/attachments.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";
import { expectSameAt, record, type Recording } from "./recording.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createDocumentFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const apply = (...actions: unknown[]) => server.must("POST", `${place.doc}/apply`, actions);
const post = (path: string, body: unknown) => server.must("POST", `${place.doc}/${path}`, body);

const CHANGES: readonly (readonly [name: string, change: () => Promise<unknown>])[] = [
  [
    "tables are added",
    () =>
      post("tables", {
        tables: [
          { id: "City", columns: [{ id: "Name" }, { id: "Size", fields: { type: "Int" } }] },
          {
            id: "Person",
            columns: [
              { id: "Name", fields: { type: "Text" } },
              { id: "Age", fields: { type: "Numeric" } },
              { id: "Home", fields: { type: "Ref:City" } },
              { id: "Tags", fields: { type: "ChoiceList" } },
              { id: "Born", fields: { type: "Date" } },
            ],
          },
        ],
      }),
  ],
  [
    "rows are added",
    () =>
      post("tables/City/records", {
        records: [{ fields: { Name: "Oslo", Size: 7 } }, { fields: { Name: "Lima", Size: 10 } }],
      }),
  ],
  [
    "rows with references are added",
    () =>
      post("tables/Person/records", {
        records: [
          { fields: { Name: "Ada", Age: 36.5, Home: 1, Tags: ["L", "a", "b"], Born: "1815-12-10" } },
          { fields: { Name: "Bob", Age: "old", Home: 2 } },
          { fields: { Name: "Cy" } },
        ],
      }),
  ],
  [
    "formulas are added",
    () =>
      apply(
        ["AddColumn", "Person", "Twice", { type: "Any", isFormula: true, formula: "$Age * 2" }],
        ["AddColumn", "Person", "CityName", { type: "Text", isFormula: true, formula: "$Home.Name" }],
        [
          "AddColumn",
          "City",
          "People",
          { type: "Int", isFormula: true, formula: "len(Person.lookupRecords(Home=$id))" },
        ],
      ),
  ],
  [
    "a summary is added",
    async () =>
      apply(["CreateViewSection", await refOf("Person"), 0, "record", [await columnRef("Person", "Home")], null]),
  ],
  [
    "a cell is edited",
    () =>
      server.must("PATCH", `${place.doc}/tables/Person/records`, {
        records: [{ id: 1, fields: { Age: 40, Home: 2 } }],
      }),
  ],
  ["a formula becomes an error", () => apply(["ModifyColumn", "Person", "Twice", { formula: "1 / ($Age - 40)" }])],
  ["a row is removed", () => post("tables/City/data/delete", [1])],
  ["a column is renamed", () => apply(["RenameColumn", "Person", "Age", "Years"])],
  ["a type is changed", () => apply(["ModifyColumn", "Person", "Years", { type: "Text" }])],
  ["a formula becomes data", () => apply(["ModifyColumn", "Person", "CityName", { isFormula: false }])],
  [
    "a trigger formula fills cells",
    () =>
      apply(
        ["ModifyColumn", "Person", "CityName", { formula: "$Name.upper()", recalcWhen: 2 }],
        ["UpdateRecord", "Person", 2, { Name: "Bo" }],
      ),
  ],
  ["a column is removed", () => apply(["RemoveColumn", "Person", "Tags"])],
  ["a table is renamed", () => apply(["RenameTable", "City", "Town"])],
  ["two-way references are added", () => apply(["AddReverseColumn", "Person", "Home"])],
  [
    "an attachment is added",
    async () => {
      const reply = await server.call("owner", "POST", `${place.doc}/attachments`, undefined, {
        raw: formOf([{ name: "a.txt", content: "tea" }]),
      });
      expect(reply.status).toBe(200);
      await apply(
        ["AddColumn", "Person", "Files", { type: "Attachments" }],
        ["UpdateRecord", "Person", 1, { Files: ["L", 1] }],
      );
    },
  ],
  ["rows are replaced", () => apply(["ReplaceTableData", "Table1", [3, 4], { A: ["x", "y"], B: [1, null] }])],
  [
    "a batch",
    () =>
      post("batch", { operations: [{ op: "add", table: "Town", records: [{ fields: { Name: "Rome" } }], as: "r" }] }),
  ],
  ["a change is undone", async () => server.must("POST", `${place.doc}/states/${await newest()}/undo`)],
  ["a state is restored", async () => server.must("POST", `${place.doc}/states/${(await newest()) - 3}/restore`)],
  [
    "rules are added",
    () => setRules(server, place.doc, { "Person:*": [{ formula: "user.Access == EDITOR", permissions: "-R" }] }),
  ],
  ["rules are removed", () => setRules(server, place.doc, {})],
  ["a table is removed", () => apply(["RemoveTable", "Town"])],
  ["all rows are removed", () => apply(["BulkRemoveRecord", "Person", [1, 2, 3]])],
];

interface Metadata {
  records: { id: number; fields: Record<string, unknown> }[];
}
const refOf = async (table: string) =>
  (await server.must<Metadata>("GET", `${place.doc}/tables/_grist_Tables/records`)).records.find(
    ({ fields }) => fields["tableId"] === table,
  )?.id ?? 0;
const columnRef = async (table: string, column: string) => {
  const parent = await refOf(table);
  const { records } = await server.must<Metadata>("GET", `${place.doc}/tables/_grist_Tables_column/records`);
  return records.find(({ fields }) => fields["parentId"] === parent && fields["colId"] === column)?.id;
};
const newest = async () =>
  (await server.must<{ states: { n: number }[] }>("GET", `${place.doc}/states`)).states[0]?.n ?? 0;

test("each state reads as it was, by every route", async () => {
  const recordings: Recording[] = [await record(server, place.doc)];
  for (const [name, change] of CHANGES) {
    await change().catch((error: unknown) => {
      throw new Error(name, { cause: error });
    });
    recordings.push(await record(server, place.doc));
  }
  for (const recording of recordings.toReversed()) await expectSameAt(server, place.doc, recording);
}, 120_000);
