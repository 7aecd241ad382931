/** Tests of hostile answers by the API; `test/web` sends the same by the page. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { HOSTILE_ANSWERS, HOSTILE_COLUMNS, LINE_MAXIMUM } from "./hostile-answers.ts";
import { columnRefs, formScene, type Scene } from "./scene.ts";

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  server = await testApp();
  scene = await formScene(server, { columns: HOSTILE_COLUMNS });
  const missing = await columnRefs(server, scene.doc);
  const fields = await scene.fields();
  for (const { id } of HOSTILE_COLUMNS) {
    const colRef = missing[`Signup.${id}`];
    if (fields[id] === undefined) {
      await scene.apply(["AddRecord", "_grist_Views_section_field", null, { parentId: scene.section, colRef }]);
    }
  }
  await scene.setOptions("Line", { formTextMaximumLength: LINE_MAXIMUM });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Without the limit of an address. */
const send = async (fields: object, query = "") => {
  server.app.ctx.answerLimits.forget();
  return server.call("anon", "POST", `/api/s/${scene.key}/tables/Signup/records${query}`, { records: [{ fields }] });
};

const rowsOf = async () =>
  (
    await server.must<{ records: { id: number; fields: Record<string, unknown> }[] }>(
      "GET",
      `/api/docs/${scene.doc}/tables/Signup/records`,
    )
  ).records;

describe("an answer by the API", () => {
  test.each(HOSTILE_ANSWERS.map((answer) => [answer.about, answer] as const))(
    "%s",
    async (_, { colId, value, expected }) => {
      const before = await rowsOf();
      const reply = await send({ [colId]: value });
      if ("problem" in expected) {
        const problem = expected.problem === "payload" ? undefined : expected.problem;
        expect([reply.status, reply.body.details?.fields?.[colId]?.code]).toEqual([400, problem]);
        return expect(await rowsOf()).toEqual(before);
      }
      expect([reply.status, reply.body.details]).toEqual([200, undefined]);
      const row = (await rowsOf()).find(({ id }) => id === reply.body.records[0].id);
      expect(row?.fields[colId]).toEqual(expected.cell as never);
    },
  );

  test("with texts that are not parsed is checked all the same", async () => {
    for (const { colId, value, expected } of HOSTILE_ANSWERS) {
      if (!("problem" in expected)) continue;
      const reply = await send({ [colId]: value }, "?noparse=1");
      expect([colId, value, reply.status]).toEqual([colId, value, 400]);
    }
  });

  test("names all problems of the first record that has any", async () => {
    server.app.ctx.answerLimits.forget();
    const records = [{ fields: { One: "a" } }, { fields: { One: "x", Count: "y" } }];
    const reply = await server.call("anon", "POST", `/api/s/${scene.key}/tables/Signup/records`, { records });
    expect(reply.body.details).toMatchObject({
      record: 1,
      fields: { One: { code: "not_offered" }, Count: { code: "not_an_integer" } },
    });
  });
});

describe("a required question", () => {
  const blanks: Record<string, readonly unknown[]> = {
    Line: ["", "  \t\n", null],
    Count: ["", " ", null],
    Ok: [false, "0", "", null],
    One: ["", null],
    Many: [["L"], "", null],
    Team: [null, ""],
    Day: [null, ""],
  };

  test.each(Object.keys(blanks))("of the column %s needs an answer", async (colId) => {
    const options = colId === "Line" ? { formTextMaximumLength: LINE_MAXIMUM } : {};
    await scene.setOptions(colId, { ...options, formRequired: true });
    for (const value of [undefined, ...(blanks[colId] ?? [])]) {
      const reply = await send(value === undefined ? {} : { [colId]: value });
      expect([value, reply.status, reply.body.details?.fields?.[colId]?.code]).toEqual([value, 400, "required"]);
    }
    await scene.setOptions(colId, { ...options, formRequired: true, formIsHidden: true });
    expect((await send({})).status).toBe(200);
    await scene.setOptions(colId, options);
  });

  test("that the layout does not show cannot be answered, and is not required", async () => {
    await scene.setOptions("One", { formRequired: true });
    const layoutSpec = JSON.stringify({ type: "Layout", children: [{ type: "Submit" }] });
    await scene.apply(["UpdateRecord", "_grist_Views_section", scene.section, { layoutSpec }]);
    expect((await send({})).status).toBe(200);
    const deep = `{"type":"Layout","children":${'[{"type":"Section","children":'.repeat(500)}[]${"}]".repeat(500)}}`;
    await scene.apply(["UpdateRecord", "_grist_Views_section", scene.section, { layoutSpec: deep }]);
    expect((await send({})).status).toBe(200);
    await scene.apply(["UpdateRecord", "_grist_Views_section", scene.section, { layoutSpec: "" }]);
    expect((await send({})).status).toBe(400);
    await scene.setOptions("One", {});
  });
});
