/** Snapshots that are saved before a change, and restored only while the document is at the state after it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
beforeAll(async () => {
  server = await testApp({ flags: { "snapshots-keep": "3" } });
  place = await createDocumentFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Saved {
  readonly snapshotId: string;
  readonly state: { readonly n: number; readonly h: string };
}

const save = () => server.must<Saved>("POST", `${place.doc}/snapshots`);
const apply = (word: string) =>
  server.must<{ actionNum: number; actionHash: string }>("POST", `${place.doc}/apply`, [
    ["AddRecord", "Table1", null, { A: word }],
  ]);
const replace = (body: object) => server.call("owner", "POST", `${place.doc}/replace`, body);
const words = async (): Promise<unknown[]> =>
  (await server.must<{ A: unknown[] }>("GET", `${place.doc}/tables/Table1/data`)).A;

test("a snapshot of now is restored with its history", async () => {
  await apply("Mint");
  const before = await words();
  const { snapshotId, state } = await save();
  const { actionNum, actionHash } = await apply("Assam");
  expect(actionNum).toBe(state.n + 1);
  expect((await replace({ snapshotId, ifState: actionHash })).status).toBe(200);
  expect(await words()).toEqual(before);
  const { states } = await server.must<{ states: { n: number; h: string }[] }>("GET", `${place.doc}/states`);
  expect(states[0]).toEqual(state);
});

test("a change after the expected state prevents the restore", async () => {
  const { snapshotId } = await save();
  const { actionHash } = await apply("Assam");
  await apply("Earl Grey");
  const before = await words();
  const { status, body } = await replace({ snapshotId, ifState: actionHash });
  expect([status, body.details]).toEqual([409, { code: "document.state_changed" }]);
  expect(await words()).toEqual(before);
});

test("the expected state needs a snapshot", async () => {
  expect((await replace({ ifState: "a" })).status).toBe(400);
});

test("no change that was acknowledged during a restore is lost", async () => {
  for (let round = 0; round < 12; round++) {
    const { snapshotId } = await save();
    const { actionHash } = await apply("large");
    const word = `word ${round}`;
    // The snapshot is decompressed before the document is closed: writes in between have to prevent the restore.
    const restored = replace({ snapshotId, ifState: actionHash });
    for (let reads = 0; reads < round % 4; reads++) await server.call("owner", "GET", place.doc);
    const written = await server.call("owner", "POST", `${place.doc}/tables/Table1/records`, {
      records: [{ fields: { A: word } }],
    });
    const { status } = await restored;
    expect([200, 409]).toContain(status);
    expect([200, 503]).toContain(written.status);
    if (written.status === 200) expect(await words()).toContain(word);
  }
});

test("editors cannot save snapshots, and a server that keeps none says so", async () => {
  expect((await server.call("editor", "POST", `${place.doc}/snapshots`)).status).toBe(403);
  await using none = await testApp({ flags: { "snapshots-keep": "0" } });
  const { doc } = await createDocumentFixture(none);
  const { status, body } = await none.call("owner", "POST", `${doc}/snapshots`);
  expect([status, body.error]).toEqual([409, "This server keeps no snapshots"]);
});
