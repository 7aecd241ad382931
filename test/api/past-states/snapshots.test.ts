/** States that the history no longer has, and documents whose content was replaced. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SnapshotStore } from "../../../src/backup/snapshots.ts";
import { systemClock } from "../../../src/lib/time/clock.ts";
import { vacuumInto } from "../../../src/sqlite/vacuum.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createDocumentFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Document {
  readonly uuid: string;
  readonly doc: string;
}

async function newDocument(): Promise<Document> {
  const uuid = await server.must<string>("POST", `${place.shelf}/docs`, { name: "Paper" });
  return { uuid, doc: `/o/docs/api/docs/${uuid}` };
}

/** Adds a row with each word: a state each. */
async function add({ doc }: Document, ...words: string[]): Promise<void> {
  for (const A of words) await server.must("POST", `${doc}/tables/Table1/records`, { records: [{ fields: { A } }] });
}

const prune = ({ doc }: Document, keep: number) => server.must("POST", `${doc}/states/remove`, { keep });

const store = () => new SnapshotStore({ folder: server.folder, keep: 9, clock: systemClock });

async function takeSnapshot({ uuid }: Document): Promise<void> {
  const path = store().newSnapshotPath(uuid) ?? "";
  mkdirSync(dirname(path), { recursive: true });
  vacuumInto(join(server.folder, "docs", uuid, "document.grist"), path);
  await store().compressPending(uuid);
}

/** Returns the words of a state, or the code and the oldest state of the refusal. */
async function read({ doc }: Document, at: string | number): Promise<unknown> {
  const { status, body, headers } = await server.call("owner", "GET", `${doc}/tables/Table1/records?at=${at}`);
  const state = headers.get("x-quern-state");
  if (status !== 200) return [status, body.details.code, body.details.oldestState];
  const { records } = body as { records: { fields: { A: string } }[] };
  return `${state}: ${records.map(({ fields }) => fields.A).join(" ")}`;
}

const pruned = (oldest: number) => [404, "state.pruned", oldest];

test("a state that was dropped is read from a snapshot that reaches it, else refused with the oldest state", async () => {
  const document = await newDocument();
  await add(document, "a", "b", "c", "d");
  const middle = new Date().toISOString();
  // Times of states have milliseconds: the next state must not have this one.
  while (new Date().toISOString() === middle) await Bun.sleep(1);
  await add(document, "e", "f");
  await prune(document, 5);
  await takeSnapshot(document);
  await add(document, "g", "h");
  await prune(document, 2);
  expect(await Promise.all([9, 8].map((n) => read(document, n)))).toEqual(["9: a b c d e f g h", "8: a b c d e f g"]);
  expect(await read(document, 7)).toBe("7: a b c d e f");
  expect(await read(document, 3)).toBe("3: a b");
  expect(await read(document, 2)).toEqual(pruned(3));
  expect(await read(document, middle)).toBe("5: a b c d");
  expect(await read(document, "1999-01-01T00:00:00Z")).toEqual(pruned(3));
  expect(await read(document, 10)).toEqual([404, "state.not_found", undefined]);
  // SQL and downloads as well.
  const sql = await server.must<object>("GET", `${document.doc}/sql?q=select%20count(*)%20as%20n%20from%20Table1&at=3`);
  expect(sql).toMatchObject({ records: [{ fields: { n: 2 } }] });
  expect(await server.must<string>("GET", `${document.doc}/download/csv?tableId=Table1&at=3`)).toContain("\nb,");
});

test("without a snapshot, or with one that does not meet the history, it is refused", async () => {
  const document = await newDocument();
  await add(document, "a", "b", "c");
  await prune(document, 2);
  expect(await read(document, 1)).toEqual(pruned(3));
  await takeSnapshot(document);
  await add(document, "d", "e", "f");
  // Between the snapshot, up to 4, and the history, from 7 on with the hash of 6, state 5 is unknown.
  await prune(document, 1);
  expect(await read(document, 4)).toEqual(pruned(7));
  await takeSnapshot(document);
  expect(await read(document, 6)).toEqual(pruned(7));
});

test("a chain of snapshots reaches further back", async () => {
  const document = await newDocument();
  await add(document, "a", "b");
  await takeSnapshot(document);
  await add(document, "c", "d");
  await prune(document, 3);
  await takeSnapshot(document);
  await add(document, "e");
  await prune(document, 1);
  expect([await read(document, 4), await read(document, 2), await read(document, 1)]).toEqual([
    "4: a b c",
    "2: a",
    "1: ",
  ]);
});

test("a damaged snapshot is left out", async () => {
  const document = await newDocument();
  await add(document, "a", "b");
  await takeSnapshot(document);
  await takeSnapshot(document);
  await add(document, "c");
  await prune(document, 1);
  const folder = join(server.folder, "docs", document.uuid, "snapshots");
  const [newest = ""] = readdirSync(folder)
    .filter((name) => name.endsWith(".zst"))
    .toSorted()
    .toReversed();
  writeFileSync(join(folder, newest), "damaged");
  expect(await read(document, 2)).toBe("2: a");
});

test("replaced content is not read, neither from the cache nor from its snapshot", async () => {
  const [document, other] = [await newDocument(), await newDocument()];
  await add(document, "secret 1", "secret 2", "secret 3");
  await add(other, "x", "y", "z");
  expect(await read(document, 3)).toBe("3: secret 1 secret 2");
  await server.must("POST", `${document.doc}/replace`, { sourceDocId: other.uuid });
  expect((await store().list(document.uuid)).length).toBe(1);
  expect([await read(document, 3), await read(document, 2)]).toEqual(["3: x y", "2: x"]);
  await prune(document, 1);
  expect(await read(document, 3)).toEqual(pruned(4));
  // Back to the snapshot: its states are those of the document again, and those of the replaced content are not.
  const [snapshot] = await store().list(document.uuid);
  await add(document, "w");
  await server.must("POST", `${document.doc}/replace`, { snapshotId: snapshot?.id });
  expect([await read(document, 3), await read(document, 5)]).toEqual([
    "3: secret 1 secret 2",
    [404, "state.not_found", undefined],
  ]);
});
