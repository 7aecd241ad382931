/** Tests of what references offer on the page of a form. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { columnRefs, formScene, type Scene } from "./scene.ts";

const COLUMNS = [
  { id: "Name", fields: { type: "Text" } },
  { id: "Team", fields: { type: "Ref:Teams" } },
  { id: "Arrives", fields: { type: "DateTime:Europe/Berlin" } },
];

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  server = await testApp();
  scene = await formScene(server, { columns: COLUMNS });
  await scene.apply(["RemoveRecord", "Teams", 2]);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Has the teams displayed by a new column, and returns its values as the API and the page show them. */
async function offered(type: string, { values, options = {} }: { values: readonly unknown[]; options?: object }) {
  const { doc, section, key } = scene;
  const widgetOptions = JSON.stringify(options);
  const [added] = (await scene.apply(["AddVisibleColumn", "Teams", "Shown", { type, widgetOptions }])) as [
    { colRef: number; colId: string },
  ];
  const refs = await columnRefs(server, doc);
  await scene.apply(
    ["BulkUpdateRecord", "Teams", [1, 3], { [added.colId]: values }],
    ["UpdateRecord", "_grist_Tables_column", refs["Signup.Team"], { visibleCol: added.colRef }],
  );
  const { body } = await server.call("anon", "GET", `/api/s/${key}/forms/${section}`);
  const field = Object.values(body.formFieldsById as Record<string, { colId: string; refValues: unknown }>).find(
    ({ colId }) => colId === "Team",
  );
  expect(field).not.toHaveProperty("texts");
  const page = await server.call("anon", "GET", `/forms/${key}/${section}`);
  expect(page.status).toBe(200);
  const [, list = ""] = /<select[^>]*name="answer\.Team"[^>]*>(.*?)<\/select>/s.exec(page.body as string) ?? [];
  const labels = [...list.matchAll(/<option value="\d+"[^>]*>([^<]*)</g)].map(([, label]) => label);
  return { api: field?.refValues, labels, html: page.body as string };
}

const DAY = Date.UTC(2026, 2, 4) / 1000;

test("references show dates, numbers and lists as the document formats them; the API has the cells", async () => {
  const dates = await offered("Date", { values: [DAY, DAY + 86_400], options: { dateFormat: "DD.MM.YYYY" } });
  expect(dates.labels).toEqual(["04.03.2026", "05.03.2026"]);
  const apiDates = [
    [1, DAY],
    [3, DAY + 86_400],
  ];
  expect(dates.api).toEqual(apiDates);
  const numbers = await offered("Numeric", { values: [1234.5, 0], options: { numMode: "decimal", decimals: 2 } });
  expect(numbers.labels).toEqual(["1,234.50", "0.00"]);
  const lists = await offered("ChoiceList", {
    values: [
      ["L", "a", "b"],
      ["L", "<i>"],
    ],
  });
  expect(lists.labels).toEqual(["a, b", "&lt;i&gt;"]);
});

test("references to references show row ids, and not the name of another table", async () => {
  await scene.apply(["AddTable", "Hidden_clubs", [{ id: "A", type: "Text" }]]);
  await scene.apply(["AddRecord", "Hidden_clubs", null, { A: "x" }]);
  const { labels, html } = await offered("Ref:Hidden_clubs", { values: [1, 1] });
  expect(labels).toEqual(["1", "1"]);
  expect(html).not.toContain("Hidden_clubs");
});

test("questions for a time name the time zone of their column", async () => {
  const { body } = await server.call("anon", "GET", `/forms/${scene.key}/${scene.section}`);
  expect((body as string).replaceAll(/<[^>]*>/g, "")).toContain("Time zone: Europe/Berlin");
  expect(body).toMatch(/name="answer\.Arrives"[^>]*aria-describedby="question-\d+-hint"/);
});

test("a form with a layout of an unknown kind asks for its first fields in their order", async () => {
  const { Name, Team, Arrives } = await scene.fields();
  await scene.apply(
    ["BulkUpdateRecord", "_grist_Views_section_field", [Name, Team, Arrives], { parentPos: [30, 20, 10] }],
    ["UpdateRecord", "_grist_Views_section", scene.section, { layoutSpec: '{"type":"Section","children":[]}' }],
  );
  const { body } = await server.call("anon", "GET", `/forms/${scene.key}/${scene.section}`);
  const names = [...(body as string).matchAll(/ name="answer\.(\w+)"/g)].map(([, name]) => name);
  expect(names).toEqual(["Arrives", "Team", "Name"]);
});
