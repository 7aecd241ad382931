/** Tests of shares of published forms and of their keys. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { formScene, type Scene } from "./scene.ts";

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  server = await testApp();
});
beforeEach(async () => {
  scene = await formScene(server);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Key {
  readonly linkId: string;
  readonly key: string;
}
const keysOf = (doc = scene.doc) => server.must<Key[]>("GET", `/api/docs/${doc}/shares`);
const statusOf = async (key: string, section = scene.section) =>
  (await server.call("anon", "GET", `/api/s/${key}/forms/${section}`)).status;

test("keys are letters and digits, stay the same, and are for owners", async () => {
  expect(await keysOf()).toEqual([{ linkId: scene.linkId, key: scene.key }]);
  expect(scene.key).toMatch(/^[A-Za-z0-9]{22}$/);
  await server.must("PATCH", `/api/docs/${scene.doc}/access`, { delta: { users: { "Emil@example.com": "editors" } } });
  expect((await server.call("editor", "GET", `/api/docs/${scene.doc}/shares`)).status).toBe(403);
  expect((await server.call("anon", "GET", `/api/docs/${scene.doc}/shares`)).status).toBe(403);
});

test("a link that is unpublished and published again has the same key", async () => {
  await scene.apply(["UpdateRecord", "_grist_Shares", scene.share, { options: '{"publish":false}' }]);
  await scene.apply(["UpdateRecord", "_grist_Shares", scene.share, { options: '{"publish":true}' }]);
  expect(await keysOf()).toEqual([{ linkId: scene.linkId, key: scene.key }]);
  expect(await statusOf(scene.key)).toBe(200);
});

const share = (linkId: string) => ["AddRecord", "_grist_Shares", null, { linkId, options: '{"publish":true}' }];

test.each([
  [
    "removed and added",
    async () => {
      await scene.apply(["RemoveRecord", "_grist_Shares", scene.share]);
      await scene.apply(share(scene.linkId), ["UpdateRecord", "_grist_Pages", scene.page, { shareRef: scene.share }]);
    },
  ],
  [
    "removed and added in one change",
    async () => {
      await scene.apply(["RemoveRecord", "_grist_Shares", scene.share], share(scene.linkId), [
        "UpdateRecord",
        "_grist_Pages",
        scene.page,
        { shareRef: scene.share },
      ]);
    },
  ],
  [
    "renamed and back",
    async () => {
      await scene.apply(["UpdateRecord", "_grist_Shares", scene.share, { linkId: "other" }]);
      expect(await statusOf(scene.key)).toBe(404);
      await scene.apply(["UpdateRecord", "_grist_Shares", scene.share, { linkId: scene.linkId }]);
    },
  ],
])("a link id that is %s does not revive its key", async (_, change) => {
  await change();
  expect(await statusOf(scene.key)).toBe(404);
  const [found] = await keysOf();
  expect(found?.linkId).toBe(scene.linkId);
  expect(found?.key).not.toBe(scene.key);
  expect(await statusOf(found?.key ?? "")).toBe(200);
  expect(await statusOf(scene.key)).toBe(404);
});

test("a copy has keys of its own, and leaves with its document", async () => {
  const [workspace] = await server.must<{ id: number }[]>("GET", "/api/orgs/team/workspaces");
  const copy = await server.must<string>("POST", `/api/docs/${scene.doc}/copy`, {
    workspaceId: workspace?.id,
    documentName: "Copy",
  });
  const [found] = await keysOf(copy);
  expect(found?.linkId).toBe(scene.linkId);
  expect(found?.key).not.toBe(scene.key);
  expect(await statusOf(found?.key ?? "")).toBe(200);
  await server.must("DELETE", `/api/docs/${copy}`);
  expect(await statusOf(found?.key ?? "")).toBe(404);
  expect(await statusOf(scene.key)).toBe(200);
  expect(server.app.ctx.home.shareKeys.find(found?.key ?? "")).toBeNull();
});

test("options that are no JSON object, and a link id twice, are refused before they are stored", async () => {
  const before = await server.must("GET", `/api/docs/${scene.doc}/tables/_grist_Shares/records`);
  const bundles = [
    [["UpdateRecord", "_grist_Shares", scene.share, { options: "{broken" }]],
    [["UpdateRecord", "_grist_Shares", scene.share, { options: "[1]" }]],
    [["AddRecord", "_grist_Shares", null, { linkId: scene.linkId, options: "" }]],
    [["BulkAddRecord", "_grist_Shares", [null, null], { linkId: ["x", "x"], options: ["", ""] }]],
  ];
  for (const bundle of bundles) {
    const reply = await server.call("owner", "POST", `/api/docs/${scene.doc}/apply`, bundle);
    expect([reply.status, reply.body.details?.code]).toEqual([400, "share.invalid"]);
  }
  expect(await server.must("GET", `/api/docs/${scene.doc}/tables/_grist_Shares/records`)).toEqual(before);
  expect(await statusOf(scene.key)).toBe(200);
});

test("a link opens only the forms of its own pages", async () => {
  await scene.apply(share("second"));
  const second = (await keysOf()).find(({ linkId }) => linkId === "second");
  const reply = await server.call("anon", "GET", `/api/s/${second?.key}/forms/${scene.section}`);
  expect([reply.status, reply.body.details.code]).toEqual([404, "form.not_found"]);
  expect(
    (await server.call("anon", "POST", `/api/s/${second?.key}/tables/Signup/records`, { records: [{ fields: {} }] }))
      .status,
  ).toBe(403);
});

test("removing a share takes it from its pages, and undoing that restores both, with another key", async () => {
  const pages = () =>
    server.must<{ records: { id: number; fields: { shareRef: number } }[] }>(
      "GET",
      `/api/docs/${scene.doc}/tables/_grist_Pages/records`,
    );
  const refOf = async () => (await pages()).records.find(({ id }) => id === scene.page)?.fields.shareRef;
  const reply = await server.call("owner", "POST", `/api/docs/${scene.doc}/apply`, [
    ["RemoveRecord", "_grist_Shares", scene.share],
  ]);
  expect(await refOf()).toBe(0);
  const state: number = reply.body.actionNum;
  await server.must("POST", `/api/docs/${scene.doc}/states/${state}/undo`);
  expect(await refOf()).toBe(scene.share);
  expect(await statusOf(scene.key)).toBe(404);
  expect(await statusOf((await keysOf())[0]?.key ?? "")).toBe(200);
});
