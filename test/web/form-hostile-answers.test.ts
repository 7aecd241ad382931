/** Tests of hostile answers by the page of a form; `test/forms` sends the same by the API. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { HOSTILE_ANSWERS, HOSTILE_COLUMNS, LINE_MAXIMUM } from "../forms/hostile-answers.ts";
import { columnRefs, formScene, type Scene } from "../forms/scene.ts";

const ORIGIN = "http://quern.test";

/** The texts of a page's problems, by the server's code. */
const MESSAGES: Readonly<Record<string, RegExp>> = {
  too_long: /Use at most \d+ characters\./,
  not_an_integer: /Enter a whole number\./,
  not_a_number: /Enter a number\./,
  not_a_date: /Enter a date that exists/,
  not_a_time: /Enter a date and a time that exist\./,
  not_offered: /Choose one of the options\./,
};

/** Texts of blanks only are no answer of a page. */
const TYPED = HOSTILE_ANSWERS.filter(({ typed }) => typed?.some((text) => text.trim() !== ""));

describe("an answer by the page", () => {
  let server: TestApp;
  let scene: Scene;
  beforeAll(async () => {
    server = await testApp();
    scene = await formScene(server, { columns: HOSTILE_COLUMNS });
    const refs = await columnRefs(server, scene.doc);
    const fields = await scene.fields();
    for (const { id } of HOSTILE_COLUMNS) {
      if (fields[id] !== undefined) continue;
      const field = { parentId: scene.section, colRef: refs[`Signup.${id}`] };
      await scene.apply(["AddRecord", "_grist_Views_section_field", null, field]);
    }
    await scene.setOptions("Line", { formTextMaximumLength: LINE_MAXIMUM });
    const boxes = Object.values(await scene.fields()).map((leaf) => ({ type: "Field", leaf }));
    const layoutSpec = JSON.stringify({ type: "Layout", children: boxes });
    await scene.apply(["UpdateRecord", "_grist_Views_section", scene.section, { layoutSpec }]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const send = async (entries: readonly (readonly [string, string])[]) => {
    server.app.ctx.answerLimits.forget();
    const body = new FormData();
    for (const [name, value] of entries) body.append(name, value);
    const headers = { Origin: ORIGIN, Host: new URL(ORIGIN).host, Accept: "text/html" };
    const request = new Request(`${ORIGIN}/forms/${scene.key}/${scene.section}`, { method: "POST", body, headers });
    const response = await server.app.handle(request, { peer: "192.0.2.1" });
    return { status: response.status, html: await response.text() };
  };

  const rowsOf = async () =>
    (
      await server.must<{ records: { id: number; fields: Record<string, unknown> }[] }>(
        "GET",
        `/api/docs/${scene.doc}/tables/Signup/records`,
      )
    ).records;

  test.each(TYPED.map((answer) => [answer.about, answer] as const))("%s", async (_, { colId, typed, expected }) => {
    const before = await rowsOf();
    const { status, html } = await send((typed ?? []).map((text) => [`answer.${colId}`, text] as const));
    if (!("problem" in expected)) {
      expect([status, html.includes("Answer sent")]).toEqual([200, true]);
      const row = (await rowsOf()).at(-1);
      expect(row?.fields[colId]).toEqual(expected.cell as never);
      return expect(await rowsOf()).toHaveLength(before.length + 1);
    }
    expect(status).toBe(400);
    expect(await rowsOf()).toEqual(before);
    const problem = /class="field-problem" id="question-(\d+)-problem">.*?<span>(.*?)<\/span>/s.exec(html);
    expect(Number(problem?.[1])).toBe((await scene.fields())[colId] ?? 0);
    expect(problem?.[2]).toMatch(MESSAGES[expected.problem] ?? /never/);
    expect(html.match(/field-problem/g)).toHaveLength(1);
  });

  test("ignores columns that the form does not ask for, and values that no control of it sends", async () => {
    const { status } = await send([
      ["answer.Line", "x"],
      ["answer.id", "7"],
      ["answer.manualSort", "7"],
      ["answer.__proto__", "x"],
      ["answer.", "x"],
      ["Line", "y"],
      ["constructor", "y"],
    ]);
    expect(status).toBe(200);
    expect((await rowsOf()).at(-1)?.fields["Line"]).toBe("x");
  });
});
