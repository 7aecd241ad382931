/** Tests of forms that refer to large tables, and of concurrent requests for forms. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { formScene, type Scene } from "./scene.ts";

const ROWS = 10_005;

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  server = await testApp({ flags: { "max-parallel": "1" } });
  scene = await formScene(server, {
    columns: [
      { id: "Name", fields: { type: "Text" } },
      { id: "Team", fields: { type: "Ref:Teams" } },
      { id: "Also", fields: { type: "RefList:Teams" } },
    ],
  });
  const titles = Array.from({ length: ROWS }, (_, index) => `Team ${index + 1}`);
  await scene.apply(["ReplaceTableData", "Teams", titles.map((_, index) => index + 1), { Title: titles }]);
});
afterAll(() => server[Symbol.asyncDispose]());

const readPage = () => server.call("anon", "GET", `/forms/${scene.key}/${scene.section}`);

/** Sends the form as a browser does. */
function answer(team: string) {
  const raw = new FormData();
  raw.append("answer.Team", team);
  const headers = { Origin: "http://quern.test" };
  return server.call("anon", "POST", `/forms/${scene.key}/${scene.section}`, undefined, { raw, headers });
}

const answeredTeams = async (): Promise<unknown[]> => {
  const { records } = await server.must<{ records: { fields: { Team: unknown } }[] }>(
    "GET",
    `/api/docs/${scene.doc}/tables/Signup/records`,
  );
  return records.map(({ fields }) => fields.Team);
};

test("the definition has the first rows, and says that there are more", async () => {
  const { body } = await server.call("anon", "GET", `/api/s/${scene.key}/forms/${scene.section}`);
  const fields = Object.values(body.formFieldsById as Record<string, { colId: string; refValues: unknown[] | null }>);
  const team = fields.find(({ colId }) => colId === "Team");
  expect(team).toMatchObject({ hasMore: true });
  expect(team?.refValues).toHaveLength(10_000);
  expect(team?.refValues?.at(-1)).toEqual([10_000, "Team 10000"]);
  expect(fields.find(({ colId }) => colId === "Name")).not.toHaveProperty("hasMore");
});

test("the rows that references offer are the first", async () => {
  const { status, body } = await server.call("anon", "GET", `/api/s/${scene.key}/tables/Teams/records`);
  expect(status).toBe(200);
  expect(body.records).toHaveLength(10_000);
  expect(body.records.at(-1).id).toBe(10_000);
});

test("the page looks up what visitors type, and refuses texts that no row has", async () => {
  const { body } = await readPage();
  expect(body).toContain("Type the whole text: not all entries are suggested.");
  expect((body as string).split("<datalist").at(1)?.split("<option")).toHaveLength(2001);
  expect((await answer(`Team ${ROWS}`)).status).toBe(200);
  expect((await answer("Team 7")).status).toBe(200);
  expect(await answeredTeams()).toEqual([ROWS, 7]);
  const refused = await answer(`Team ${ROWS + 1}`);
  expect(refused.status).toBe(400);
  expect(refused.body).toContain("No entry has this text.");
  expect(await answeredTeams()).toHaveLength(2);
});

test("reading a form on its page counts as a request to the document", async () => {
  const read = () => server.call("owner", "GET", `/api/docs/${scene.doc}/tables/Teams/records`);
  for (const other of [readPage, read]) {
    const replies = await Promise.all([readPage(), other()]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429]);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
    // The request is counted no longer.
    expect((await readPage()).status).toBe(200);
  }
});

test("all questions of a form share a limit of characters", async () => {
  const titles = Array.from({ length: 3000 }, (_, index) => String(index).padEnd(1000, "x"));
  await scene.apply(["ReplaceTableData", "Teams", titles.map((_, index) => index + 1), { Title: titles }]);
  const { body } = await server.call("anon", "GET", `/api/s/${scene.key}/forms/${scene.section}`);
  const fields = Object.values(body.formFieldsById as Record<string, { colId: string; refValues: unknown[] | null }>);
  const offered = fields.filter(({ refValues }) => refValues !== null).map(({ refValues }) => refValues?.length);
  expect(offered).toEqual([3000, 1000]);
});
