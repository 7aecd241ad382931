/** The server requires answers to exactly the required questions that the page of a form draws, whatever layout a document has. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { columnRefs, formScene, type Scene } from "./scene.ts";

let server: TestApp;
let scene: Scene;
/** The fields of the columns, and a second one of the column `Name`. */
let leaf: Record<string, number>;
beforeAll(async () => {
  server = await testApp();
  scene = await formScene(server);
  leaf = await scene.fields();
  for (const colId of ["Name", "Age", "Size"]) await scene.setOptions(colId, { formRequired: true });
  const [again] = await scene.apply([
    "AddRecord",
    "_grist_Views_section_field",
    null,
    {
      parentId: scene.section,
      colRef: (await columnRefs(server, scene.doc))["Signup.Name"],
      widgetOptions: '{"formRequired":true,"formTextMaximumLength":3}',
    },
  ]);
  leaf["Again"] = Number(again);
});
afterAll(() => server[Symbol.asyncDispose]());

const field = (name: string) => ({ type: "Field", leaf: leaf[name] });
const box = (type: unknown, ...children: unknown[]) => ({ type, children });
const inSections = (depth: number, content: object): object =>
  depth === 0 ? content : box("Section", inSections(depth - 1, content));

async function showLayout(...children: unknown[]): Promise<void> {
  const layoutSpec = JSON.stringify({ type: "Layout", children });
  await scene.apply(["UpdateRecord", "_grist_Views_section", scene.section, { layoutSpec }]);
}

async function pageHtml(): Promise<string> {
  const request = new Request(`http://quern.test/forms/${scene.key}/${scene.section}`);
  return (await server.app.handle(request, { peer: "192.0.2.1" })).text();
}

async function drawnOnPage(): Promise<string[]> {
  const names = [...(await pageHtml()).matchAll(/<(?:input|select|textarea)\b[^>]*\bname="answer\.(\w+)"[^>]*>/g)];
  return [...new Set(names.filter(([tag]) => /\brequired\b/.test(tag)).map(([, colId]) => colId ?? ""))].toSorted();
}

async function send(fields: object) {
  server.app.ctx.answerLimits.forget();
  return server.call("anon", "POST", `/api/s/${scene.key}/tables/Signup/records`, { records: [{ fields }] });
}

async function requiredByServer(): Promise<string[]> {
  const { status, body } = await send({});
  return status === 200 ? [] : Object.keys(body.details.fields).toSorted();
}

const LAYOUTS: readonly (readonly [name: string, children: () => unknown[], expected: string[]])[] = [
  ["a section", () => [box("Section", field("Name"), field("Age"))], ["Age", "Name"]],
  ["a box of an unknown kind", () => [box("Carousel", field("Name"))], ["Name"]],
  ["a box whose kind is no text", () => [box(7, field("Name")), { children: [field("Age")] }, field("Size")], ["Size"]],
  ["a list in place of a box", () => [[field("Name")], field("Size")], ["Size"]],
  ["a question", () => [{ ...field("Size"), children: [field("Name")] }], ["Size"]],
  ["a text", () => ["Paragraph", "Label", "Header", "Separator"].map((type) => box(type, field("Name"))), []],
  ["the button", () => [box("Submit", field("Name"))], []],
  ["an empty column", () => [box("Columns", box("Placeholder", field("Name")), field("Age"))], ["Age"]],
  ["20 levels", () => [inSections(19, field("Name"))], ["Name"]],
  ["21 levels", () => [inSections(20, field("Name"))], []],
  ["2,000 boxes", () => [...Array.from({ length: 1999 }, () => ({ type: "Paragraph" })), field("Name")], ["Name"]],
  ["2,001 boxes", () => [...Array.from({ length: 2000 }, () => null), field("Name")], []],
  ["a field as text", () => [{ type: "Field", leaf: String(leaf["Name"]) }, field("Age")], ["Age"]],
  ["no field", () => [{ type: "Field", leaf: 4.5 }, { type: "Field", leaf: -1 }, { type: "Field" }], []],
  ["another field of the same column", () => [field("Again")], ["Name"]],
];

test.each(LAYOUTS.map(([name, children, expected]) => [name, { children, expected }] as const))(
  "%s",
  async (_, { children, expected }) => {
    await showLayout(...children());
    expect(await drawnOnPage()).toEqual(expected);
    expect(await requiredByServer()).toEqual(expected);
  },
);

test("the options of the field that is drawn count, also where the column has several", async () => {
  await showLayout(field("Again"));
  expect(await pageHtml()).toContain('maxlength="3"');
  expect((await send({ Name: "long" })).body.details?.fields).toMatchObject({ Name: { code: "too_long", maximum: 3 } });
  await showLayout(field("Name"), field("Again"));
  expect(await pageHtml()).not.toContain('maxlength="3"');
  expect((await send({ Name: "long" })).status).toBe(200);
});
