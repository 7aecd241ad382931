/** Tests of what a form asks, for members and over its link. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { formScene, type Scene } from "./scene.ts";

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  server = await testApp();
  scene = await formScene(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const overLink = (path: string, key = scene.key) => server.call("anon", "GET", `/api/s/${key}/${path}`);

test("members and visitors with the link read the same definition", async () => {
  const member = await server.call("owner", "GET", `/api/docs/${scene.doc}/forms/${scene.section}`);
  const visitor = await overLink(`forms/${scene.section}`);
  expect(visitor.status).toBe(200);
  expect(visitor.body).toEqual(member.body);
  const fields = await scene.fields();
  expect(visitor.body.formTableId).toBe("Signup");
  expect(visitor.body.formFieldsById[fields["Name"] ?? 0]).toEqual({
    colId: "Name",
    question: "Your name",
    description: "",
    type: "Text",
    options: {},
    refValues: null,
  });
  const offered = [
    [1, "Red"],
    [3, "Blue"],
  ];
  expect(visitor.body.formFieldsById[fields["Team"] ?? 0].refValues).toEqual(offered);
});

test("the numbers of sections are read as in the established addresses", async () => {
  const statusOf = async (section: string) => (await overLink(`forms/${section}`)).status;
  expect(await statusOf(`${scene.section}x`)).toBe(200);
  expect(await statusOf(`${scene.section}.5`)).toBe(200);
  for (const section of ["0", "-1", "9999", "1"]) expect([section, await statusOf(section)]).toEqual([section, 404]);
  expect(await statusOf("x")).toBe(400);
});

test("unknown keys open nothing, and the link id is no key", async () => {
  for (const key of ["x", scene.linkId, scene.key.toLowerCase(), `${scene.key}x`, "%00", "'"]) {
    const reply = await overLink(`forms/${scene.section}`, key);
    expect([key, reply.status, reply.body.details.code]).toEqual([key, 404, "form.not_found"]);
  }
});

test("a form with a closing date says so, and closes", async () => {
  const closesAt = "2999-05-03T10:00:00.000Z";
  await scene.setForm({ closesAt, signIn: true });
  expect((await overLink(`forms/${scene.section}`)).body).toMatchObject({ closesAt, signIn: true });
  await scene.setForm({ closesAt: "2001-05-03T10:00:00Z" });
  const closed = await overLink(`forms/${scene.section}`);
  expect(closed.status).toBe(403);
  expect(closed.body.details).toEqual({ code: "form.closed", closedAt: "2001-05-03T10:00:00.000Z" });
  await scene.setForm({});
  expect((await overLink(`forms/${scene.section}`)).status).toBe(200);
});
