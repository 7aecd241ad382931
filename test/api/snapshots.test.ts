/** Snapshots of documents: listing, restoring and deleting; and maintenance of document files. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { compressFile } from "../../src/backup/compression.ts";
import { SnapshotStore } from "../../src/backup/snapshots.ts";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { Database } from "../../src/sqlite/database.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { formOf } from "../helpers/attachments.ts";
import { createWebhookFixture } from "../helpers/webhook-fixture.ts";
import {
  createDocumentFixture,
  type DocumentFixture,
  runSteps,
  createSharedFixture,
  statusesByCaller,
} from "../helpers/request-steps.ts";

let server: TestApp;
/** A document with the word Assam, which replaces others. */
let source: DocumentFixture;
beforeAll(async () => {
  server = await testApp({ flags: { "attachments-inside": "1KB", "snapshots-keep": "3" } });
  source = await createDocumentFixture(server);
  await write(source, "Assam");
});
afterAll(() => server[Symbol.asyncDispose]());

interface Listed {
  readonly snapshotId: string;
  readonly lastModified: string;
  readonly docId: string;
}

const listAll = async ({ doc }: Pick<DocumentFixture, "doc">, { must } = server): Promise<Listed[]> =>
  (await must<{ snapshots: Listed[] }>("GET", `${doc}/snapshots`)).snapshots;
/** Excludes the current content. */
const list = async (place: Pick<DocumentFixture, "doc">, from = server): Promise<Listed[]> =>
  (await listAll(place, from)).filter(({ snapshotId }) => snapshotId !== "current");
const newest = async (place: DocumentFixture): Promise<string> => (await list(place))[0]?.snapshotId ?? "";
const write = ({ doc }: DocumentFixture, word: string) =>
  server.must("POST", `${doc}/tables/Table1/records`, { records: [{ fields: { A: word } }] });
const words = async ({ doc }: DocumentFixture): Promise<unknown[]> => {
  const { records } = await server.must<{ records: { fields: { A: unknown } }[] }>(
    "GET",
    `${doc}/tables/Table1/records`,
  );
  return records.map(({ fields }) => fields.A);
};
const replaceBySource = ({ doc }: DocumentFixture) =>
  server.must("POST", `${doc}/replace`, { sourceDocId: source.uuid });
const restore = ({ doc }: DocumentFixture, snapshotId: string) => server.must("POST", `${doc}/replace`, { snapshotId });
const folderOf = ({ uuid }: DocumentFixture): string => join(server.folder, "docs", uuid, "snapshots");

test("replaced content becomes a snapshot, and can be restored back and forth", async () => {
  const place = await createDocumentFixture(server);
  await write(place, "Mint");
  expect(await list(place)).toEqual([]);
  const before = Date.now();
  await replaceBySource(place);
  const [listed, ...others] = await list(place);
  expect(others).toEqual([]);
  expect(listed?.docId).toBe(place.uuid);
  expect(listed?.snapshotId).toMatch(/^\d{8}T\d{9}Z-\w{8}$/);
  expect(Date.parse(listed?.lastModified ?? "")).toBeWithin(before, Date.now() + 1);
  expect(await words(place)).toEqual(["Assam"]);
  await write(place, "Earl Grey");

  await restore(place, listed?.snapshotId ?? "");
  expect(await words(place)).toEqual(["Mint"]);
  expect((await list(place)).map(({ snapshotId }) => snapshotId).slice(1)).toEqual([listed?.snapshotId ?? ""]);
  await restore(place, await newest(place));
  expect(await words(place)).toEqual(["Assam", "Earl Grey"]);
  expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
});

test("the current content is listed first as current, and restoring it changes nothing", async () => {
  const place = await createSharedFixture(server);
  await write(place, "Mint");
  const { updatedAt } = await server.must<{ updatedAt: string }>("GET", place.doc);
  const current = { snapshotId: "current", lastModified: updatedAt, docId: place.uuid };
  expect(await listAll(place)).toEqual([current]);
  expect((await server.call("viewer", "GET", `${place.doc}/snapshots`)).body).toEqual({ snapshots: [current] });
  await replaceBySource(place);
  expect((await listAll(place)).map(({ snapshotId }) => snapshotId)).toEqual(["current", await newest(place)]);
  await restore(place, "current");
  await runSteps(server, [
    ["owner", "POST", `${place.doc}/snapshots/remove`, { snapshotIds: ["current"] }, 200, { snapshotIds: [] }],
  ]);
  expect(await list(place)).toHaveLength(1);
  expect(await words(place)).toEqual(["Assam"]);
});

test("replacing with an empty snapshotId does nothing, and sourceDocId still applies", async () => {
  const place = await createDocumentFixture(server);
  await write(place, "Mint");
  await restore(place, "");
  expect(await words(place)).toEqual(["Mint"]);
  await server.must("POST", `${place.doc}/replace`, { sourceDocId: source.uuid, snapshotId: "" });
  expect(await words(place)).toEqual(["Assam"]);
});

test("a limited number is kept, compressed", async () => {
  const place = await createDocumentFixture(server);
  for (const word of ["a", "b", "c", "d", "e"]) {
    await write(place, word);
    await replaceBySource(place);
  }
  const listed = await list(place);
  expect(listed).toHaveLength(3);
  expect(listed.map(({ lastModified }) => lastModified)).toEqual(
    listed
      .map(({ lastModified }) => lastModified)
      .toSorted()
      .toReversed(),
  );
  const files = listed.flatMap(({ snapshotId }) => [`${snapshotId}.grist.zst`, `${snapshotId}.json`]).toSorted();
  expect(readdirSync(folderOf(place)).toSorted()).toEqual(files);
  const packed = statSync(join(folderOf(place), files[0] ?? "")).size;
  expect(packed).toBeLessThan(statSync(join(folderOf(place), "../document.grist")).size / 3);
});

test("files left over from a crash are removed after a day, and not before", async () => {
  const place = await createDocumentFixture(server);
  await replaceBySource(place);
  const names = ["20200101T000000000Z-0a1b2c3d.ab12.part", "20200101T000000000Z-0a1b2c3d.grist.zst"];
  for (const name of names) writeFileSync(join(folderOf(place), name), "");
  const count = readdirSync(folderOf(place)).length;
  await server.app.ctx.snapshots.compressPending(place.uuid);
  expect(readdirSync(folderOf(place))).toHaveLength(count);
  for (const name of names) utimesSync(join(folderOf(place), name), 0, 0);
  await server.app.ctx.snapshots.compressPending(place.uuid);
  expect(readdirSync(folderOf(place))).toHaveLength(count - 2);
  expect(await list(place)).toHaveLength(1);
});

test("an uncompressed snapshot is a snapshot like any other", async () => {
  const place = await createDocumentFixture(server);
  await write(place, "Mint");
  await replaceBySource(place);
  const snapshotId = await newest(place);
  await server.app.ctx.snapshots.decompress(place.uuid, snapshotId, join(folderOf(place), `${snapshotId}.grist`));
  for (const ending of ["json", "grist.zst"]) rmSync(join(folderOf(place), `${snapshotId}.${ending}`));
  expect((await list(place)).map((one) => one.snapshotId)).toEqual([snapshotId]);
  await restore(place, snapshotId);
  expect(await words(place)).toEqual(["Mint"]);
  expect(readdirSync(folderOf(place))).toContain(`${snapshotId}.grist.zst`);
});

test("a server configured to keep none keeps none", async () => {
  await using other = await testApp({ flags: { "snapshots-keep": "0" } });
  const [one, two] = [await createDocumentFixture(other), await createDocumentFixture(other)];
  await other.must("POST", `${one.doc}/replace`, { sourceDocId: two.uuid });
  expect(await list(one, other)).toEqual([]);
});

test("writes during a restore are in the document, or in the newest snapshot", async () => {
  const place = await createDocumentFixture(server);
  await replaceBySource(place);
  const id = await newest(place);
  const restoring = server.call("owner", "POST", `${place.doc}/replace`, { snapshotId: id });
  const writing = Array.from({ length: 8 }, (_, at) => write(place, `word ${at}`));
  expect((await restoring).status).toBe(200);
  await Promise.all(writing);
  const now = await words(place);
  await restore(place, await newest(place));
  const then = (await words(place)).slice(1);
  expect([...then, ...now].map(String).toSorted()).toEqual(Array.from({ length: 8 }, (_, at) => `word ${at}`));
});

describe("access", () => {
  let place: DocumentFixture;
  beforeAll(async () => {
    place = await createSharedFixture(server);
    await replaceBySource(place);
  });
  const people = ["owner", "editor", "viewer", "stranger", "anon"] as const;

  test("viewers list; owners restore and delete", async () => {
    const snapshotId = await newest(place);
    expect(await statusesByCaller(server, people, ["GET", `${place.doc}/snapshots`])).toEqual([
      200, 200, 200, 403, 403,
    ]);
    const back = ["POST", `${place.doc}/replace`, { snapshotId }] as const;
    expect(await statusesByCaller(server, people, back)).toEqual([200, 403, 403, 403, 403]);
    const forget = ["POST", `${place.doc}/snapshots/remove`, { snapshotIds: [] }] as const;
    expect(await statusesByCaller(server, people, forget)).toEqual([200, 403, 403, 403, 403]);
  });

  test("owners reload, editors flush", async () => {
    expect(await statusesByCaller(server, people, ["POST", `${place.doc}/force-reload`])).toEqual([
      200, 403, 403, 403, 403,
    ]);
    expect(await statusesByCaller(server, people, ["POST", `${place.doc}/recover`])).toEqual([200, 403, 403, 403, 403]);
    expect(await statusesByCaller(server, people, ["POST", `${place.doc}/flush`])).toEqual([200, 200, 403, 403, 403]);
  });
});

test("refuses an invalid snapshot, and changes nothing", async () => {
  const place = await createDocumentFixture(server);
  await replaceBySource(place);
  const unknown = "20260131T235959123Z-0a1b2c3d";
  const snapshotId = await newest(place);
  const other = await createDocumentFixture(server);
  await runSteps(server, [
    ["owner", "POST", `${place.doc}/replace`, { snapshotId: unknown }, 404],
    ["owner", "POST", `${other.doc}/replace`, { snapshotId }, 404],
    ["owner", "POST", `${place.doc}/replace`, { snapshotId: "../../x" }, 400],
    ["owner", "POST", `${place.doc}/replace`, { snapshotId: 7 }, 400],
    ["owner", "POST", `${place.doc}/replace`, { snapshotId, sourceDocId: source.uuid }, 400],
    ["owner", "POST", `${place.doc}/replace`, { snapshotId: null }, 200, null],
    ["owner", "POST", `${place.doc}/snapshots/remove`, {}, 400],
    ["owner", "POST", `${place.doc}/snapshots/remove`, { snapshotIds: [], select: "past" }, 400],
    ["owner", "POST", `${place.doc}/snapshots/remove`, { select: "all" }, 400],
    ["owner", "POST", `${place.doc}/recover`, { recoveryMode: "maybe" }, 400],
  ]);
  expect(await words(place)).toEqual(["Assam"]);
  expect(await list(place)).toHaveLength(1);
});

test("refuses a damaged snapshot, and changes nothing", async () => {
  const place = await createDocumentFixture(server);
  await replaceBySource(place);
  const snapshotId = await newest(place);
  const file = join(folderOf(place), `${snapshotId}.grist.zst`);
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 255;
  writeFileSync(file, bytes);
  await runSteps(server, [["owner", "POST", `${place.doc}/replace`, { snapshotId }, 500]]);
  expect(await words(place)).toEqual(["Assam"]);
  expect(await list(place)).toHaveLength(1);
  expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
});

test("snapshots are deleted by id, or all of them", async () => {
  const place = await createDocumentFixture(server);
  for (let at = 0; at < 3; at++) await replaceBySource(place);
  const [first = "", second = "", third = ""] = (await list(place)).map(({ snapshotId }) => snapshotId);
  await runSteps(server, [
    [
      "owner",
      "POST",
      `${place.doc}/snapshots/remove`,
      { snapshotIds: [second, "nothing"] },
      200,
      { snapshotIds: [second] },
    ],
  ]);
  expect((await list(place)).map(({ snapshotId }) => snapshotId)).toEqual([first, third]);
  await server.must("POST", `${place.doc}/snapshots/remove`, { select: "past" });
  expect(await list(place)).toEqual([]);
  expect(readdirSync(folderOf(place))).toEqual([]);
});

test("a document whose file is damaged can be restored, and the damaged file is kept", async () => {
  const own = await testApp();
  const [place, other] = [await createDocumentFixture(own), await createDocumentFixture(own)];
  await own.must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: { A: "Mint" } }] });
  await own.must("POST", `${place.doc}/replace`, { sourceDocId: other.uuid });
  await own.app.close();
  writeFileSync(join(own.folder, "docs", place.uuid, "document.grist"), "nothing of a document");
  const app = createApp(readConfig({ data: own.folder }, {}));
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { Host: "x", "Content-Type": "application/json", Authorization: `Bearer ${own.keys.owner}` };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await app.handle(new Request(`http://x${place.doc}${path}`, init));
    return { status: response.status, body: (await response.json()) as { snapshots: Listed[] } };
  };
  expect((await ask("POST", "/force-reload")).status).toBe(500);
  const [, listed] = (await ask("GET", "/snapshots")).body.snapshots;
  expect((await ask("POST", "/replace", { snapshotId: listed?.snapshotId })).status).toBe(200);
  expect((await ask("GET", "/tables/Table1/records")).body).toMatchObject({ records: [{ fields: { A: "Mint" } }] });
  expect((await ask("GET", "/snapshots")).body.snapshots).toHaveLength(3);
  await app.close();
  await own[Symbol.asyncDispose]();
});

test("attachments that a snapshot refers to are retained with it", async () => {
  const place = await createDocumentFixture(server);
  const large = "large ".repeat(1000);
  const raw = formOf([{ name: "large.txt", content: large }]);
  expect((await server.call("owner", "POST", `${place.doc}/attachments`, undefined, { raw })).body).toEqual([1]);
  await replaceBySource(place);
  await server.must("POST", `${place.doc}/attachments/removeUnused`);
  const contents = join(server.folder, "docs", place.uuid, "attachments");
  for (const name of readdirSync(contents)) utimesSync(join(contents, name), 0, 0);
  await server.must("POST", `${place.doc}/attachments/removeUnused`);
  await restore(place, await newest(place));
  expect((await server.call("owner", "GET", `${place.doc}/attachments/1/download`)).body).toBe(large);
  // Now it is unused in the document, and only its snapshots retain it.
  await server.must("POST", `${place.doc}/replace`, { sourceDocId: source.uuid });
  await server.must("POST", `${place.doc}/snapshots/remove`, { select: "past" });
  for (const name of readdirSync(contents)) utimesSync(join(contents, name), 0, 0);
  await server.must("POST", `${place.doc}/attachments/removeUnused`);
  expect(readdirSync(contents)).toEqual([]);
});

test("webhooks of a snapshot continue, with each event once; later ones are removed", async () => {
  await using h = await createWebhookFixture();
  const { server: app, doc, receiver } = h;
  const kept = await h.make({ name: "kept" });
  await h.add({ Name: "first" });
  await receiver.next();
  await h.quiet();
  const copy = join(app.folder, "tmp", "copy");
  {
    using db = new Database(join(app.folder, "docs", h.sample.doc, "document.grist"), { readonly: true });
    db.run("vacuum into ?", copy);
  }
  const packed = await compressFile(copy, `${copy}.zst`);
  const store = new SnapshotStore({ folder: app.folder, keep: 3, clock: systemClock });
  await store.add(h.sample.doc, { file: `${copy}.zst`, atMs: Date.now() }, { ...packed, contents: [] });
  await h.make({ name: "made since", url: `${receiver.url}/since` });
  const [snapshot] = await list({ doc }, app);
  await app.must("POST", `${doc}/replace`, { snapshotId: snapshot?.snapshotId });
  expect((await h.listed()).map(({ id }) => id)).toEqual([kept]);
  await h.add({ Name: "second" });
  const [received] = await receiver.next();
  await h.quiet();
  expect(received?.rows).toMatchObject([{ Name: "second" }]);
  expect(receiver.received).toHaveLength(2);
  const ids = receiver.received.map(({ headers }) => headers.get("webhook-id"));
  expect(new Set(ids).size).toBe(2);
});

test("reloading, recovering and flushing lose nothing", async () => {
  const place = await createDocumentFixture(server);
  await write(place, "Mint");
  await runSteps(server, [
    ["owner", "POST", `${place.doc}/flush`, undefined, 200, null],
    ["owner", "POST", `${place.doc}/force-reload`, undefined, 200, null],
    ["owner", "POST", `${place.doc}/recover`, { recoveryMode: true }, 200, { recoveryMode: false }],
  ]);
  expect(await words(place)).toEqual(["Mint"]);
});

test("flushed writes are in the document file itself", async () => {
  await using other = await testApp({ flags: { durability: "normal" } });
  const place = await createDocumentFixture(other);
  await other.must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: { A: "A rare word" } }] });
  const file = join(other.folder, "docs", place.uuid, "document.grist");
  expect(readFileSync(file).includes("A rare word")).toBe(false);
  await other.must("POST", `${place.doc}/flush`);
  expect(readFileSync(file).includes("A rare word")).toBe(true);
});
