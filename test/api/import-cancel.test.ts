/** Imports that are followed and cancelled: nothing of them remains. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  // A thread of its own: the server answers while an import writes.
  server = await testApp({ flags: { "doc-threads": "1" } });
  place = await createSharedFixture(server);
  const columns = [
    { id: "Item", fields: { type: "Text" } },
    { id: "Price", fields: { type: "Numeric" } },
    { id: "Name", fields: { type: "Text", isFormula: true, formula: "'/'.join(sorted([$Item, str($Price)]))" } },
  ];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Items", columns }] });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Rows whose import takes seconds. */
const manyRows = (count: number): string =>
  `Item,Price\n${Array.from({ length: count }, (_, r) => `item ${r},${r / 4}`).join("\n")}\n`;

function form(text: string): FormData {
  const data = new FormData();
  data.append("upload", new File([text], "items.csv"));
  return data;
}

const temporaryFiles = () => readdirSync(join(server.folder, "tmp"));
const documents = () => readdirSync(join(server.folder, "docs")).length;
const rowCount = async () =>
  (await server.must<{ id: number[] }>("GET", `${place.doc}/tables/Items/data?limit=5`)).id.length;

async function upload(at: string, text: string, as: Caller = "owner"): Promise<number> {
  const { status, body } = await server.call(as, "POST", `${at}/uploads`, undefined, { raw: form(text) });
  expect(status).toBe(200);
  return Number(body.uploadId);
}

/** Sends an import whose connection can be closed. */
function importing(path: string, body: object | FormData, signal?: AbortSignal): Promise<Response> {
  const isForm = body instanceof FormData;
  return server.app.handle(
    new Request(`http://quern.test${path}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.keys.owner}`,
        ...(isForm ? { "X-Requested-With": "XMLHttpRequest" } : { "Content-Type": "application/json" }),
      },
      body: isForm ? body : JSON.stringify(body),
      ...(signal && { signal }),
    }),
  );
}

const places = () => [place.doc, place.shelf];

describe("an upload", () => {
  test("is removed at once after a preview, with the rows that were read", async () => {
    for (const at of places()) {
      const { body } = await server.call("owner", "POST", `${at}/import?dryRun=1`, undefined, {
        raw: form("Item,Price\nBell,1\n"),
      });
      expect(temporaryFiles().length).toBe(2);
      const path = `${at}/uploads/${body.uploadId}`;
      expect((await server.call("owner", "DELETE", path)).status).toBe(200);
      expect(temporaryFiles()).toEqual([]);
      for (const [method, to, sent] of [
        ["DELETE", path, undefined],
        ["GET", path, undefined],
        ["POST", `${at}/import`, { uploadId: body.uploadId }],
      ] as const) {
        const { status, body: refusal } = await server.call("owner", method, to, sent);
        expect([method, status, refusal.details.code]).toEqual([method, 404, "upload.not_found"]);
      }
    }
  });

  test("is described, for the caller who sent it only", async () => {
    for (const at of places()) {
      const uploadId = await upload(at, "a,b\n1,2\n");
      const path = `${at}/uploads/${uploadId}`;
      expect((await server.call("owner", "GET", path)).body).toEqual({
        uploadId,
        files: [{ origName: "items.csv", size: 8, ext: ".csv" }],
        progress: null,
      });
      for (const method of ["GET", "DELETE"]) {
        // Editors of the document have no access to the workspace.
        const status = at === place.doc ? 404 : 403;
        expect((await server.call("editor", method, path)).status).toBe(status);
        expect((await server.call("stranger", method, path)).status).toBe(403);
        expect((await server.call("owner", method, `${at}/uploads/x`)).status).toBe(400);
      }
      expect((await server.call("owner", "DELETE", path)).status).toBe(200);
    }
    expect(temporaryFiles()).toEqual([]);
  });
});

interface Progress {
  readonly step: string;
  readonly done: number;
  readonly total: number | null;
}

async function progressOf(path: string): Promise<Progress | null> {
  return (await server.must<{ progress: Progress | null }>("GET", path)).progress;
}

/** Waits until an import has reached a step, and returns the progress seen until then. */
async function follow(path: string, step: string): Promise<Progress[]> {
  const seen: Progress[] = [];
  await expectPoll(async () => {
    const progress = await progressOf(path);
    if (progress) seen.push(progress);
    return progress?.step === step && (progress.total === null || progress.done > 0);
  }).toBe(true);
  return seen;
}

describe("a new document of many rows", () => {
  const ROWS = 400_000;
  const text = manyRows(ROWS);

  test("is followed while the file is read and rows are written", async () => {
    const uploadId = await upload(place.shelf, text);
    const path = `${place.shelf}/uploads/${uploadId}`;
    const answer = importing(`${place.shelf}/import`, { uploadId });
    const seen = [...(await follow(path, "reading")), ...(await follow(path, "writing"))];
    expect(seen.some(({ step, total }) => step === "reading" && total === text.length)).toBe(true);
    expect(seen.at(-1)).toMatchObject({ step: "writing", total: ROWS });
    expect((await answer).status).toBe(200);
    expect(await progressOf(path)).toBeNull();
    await server.must("DELETE", path);
  }, 60_000);

  test.each(["reading", "writing"])(
    "is cancelled while %s, and leaves nothing",
    async (step) => {
      const before = documents();
      const uploadId = await upload(place.shelf, text);
      const path = `${place.shelf}/uploads/${uploadId}`;
      const answer = importing(`${place.shelf}/import`, { uploadId });
      await follow(path, step);
      await server.must("DELETE", path);
      const response = await answer;
      expect([response.status, await response.json()]).toMatchObject([409, { details: { code: "import.cancelled" } }]);
      await expectPoll(temporaryFiles).toEqual([]);
      expect(documents()).toBe(before);
    },
    60_000,
  );

  test.each(["reading", "writing"])(
    "ends when the caller disconnects while %s",
    async (step) => {
      const before = documents();
      const uploadId = await upload(place.shelf, text);
      const path = `${place.shelf}/uploads/${uploadId}`;
      const connection = new AbortController();
      const answer = importing(`${place.shelf}/import`, { uploadId }, connection.signal);
      await follow(path, step);
      connection.abort();
      expect((await answer).status).toBe(503);
      expect(documents()).toBe(before);
      // The upload remains until it is removed.
      expect(await progressOf(path)).toBeNull();
      await server.must("DELETE", path);
      await expectPoll(temporaryFiles).toEqual([]);
    },
    60_000,
  );
});

test("an import ends when its connection is closed", async () => {
  const listening = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => server.app.handle(request) });
  const before = documents();
  const connection = new AbortController();
  const answer = fetch(`http://127.0.0.1:${listening.port}${place.shelf}/import`, {
    method: "POST",
    body: form(manyRows(400_000)),
    headers: { Authorization: `Bearer ${server.keys.owner}`, "X-Requested-With": "XMLHttpRequest" },
    signal: connection.signal,
  }).catch((error: unknown) => error);
  // Its document is being written.
  await expectPoll(() => temporaryFiles().some((name) => name.startsWith("document"))).toBe(true);
  connection.abort();
  expect(await answer).toBeInstanceOf(Error);
  await expectPoll(temporaryFiles).toEqual([]);
  expect(documents()).toBe(before);
  await listening.stop(true);
}, 60_000);

describe("an import into a table", () => {
  const text = manyRows(150_000);

  test("is cancelled while rows are written: none remain", async () => {
    const states = await server.must("GET", `${place.doc}/states`);
    const uploadId = await upload(place.doc, text);
    const path = `${place.doc}/uploads/${uploadId}`;
    const answer = importing(`${place.doc}/import?table=Items`, { uploadId });
    await follow(path, "writing");
    await server.must("DELETE", path);
    expect((await answer).status).toBe(409);
    expect([await rowCount(), await server.must("GET", `${place.doc}/states`)]).toEqual([0, states]);
    await expectPoll(temporaryFiles).toEqual([]);
  }, 60_000);

  test("ends when the caller disconnects: no row remains", async () => {
    const uploadId = await upload(place.doc, text);
    const path = `${place.doc}/uploads/${uploadId}`;
    const connection = new AbortController();
    const answer = importing(
      `${place.doc}/import?table=Items&change=1`,
      { uploadId, key: ["Item"] },
      connection.signal,
    );
    await follow(path, "writing");
    connection.abort();
    expect((await answer).status).toBe(503);
    expect(await rowCount()).toBe(0);
    await server.must("DELETE", path);
    await expectPoll(temporaryFiles).toEqual([]);
  }, 60_000);

  test("that is sent as a form leaves no file when the caller disconnects, nor does its dry run", async () => {
    for (const query of ["", "&dryRun=1", "&dryrun=1"]) {
      const connection = new AbortController();
      const answer = importing(`${place.doc}/import?table=Items${query}`, form(text), connection.signal);
      await expectPoll(() => temporaryFiles().length).toBeGreaterThan(0);
      connection.abort();
      expect([query, (await answer).status]).toEqual([query, 503]);
      await expectPoll(temporaryFiles).toEqual([]);
    }
    expect(await rowCount()).toBe(0);
  }, 60_000);
});
