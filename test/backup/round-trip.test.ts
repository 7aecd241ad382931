/** Backups made beside a running server, and restores that must equal the original. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { FolderTarget } from "../../src/backup/folder-target.ts";
import { type BackupListing, listBackups } from "../../src/backup/list-backups.ts";
import { restoreBackup, type RestoreReport } from "../../src/backup/restore-backup.ts";
import { type BackupReport, createBackup } from "../../src/backup/create-backup.ts";
import { readConfig } from "../../src/config.ts";
import { openHome } from "../../src/home/home.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { Database } from "../../src/sqlite/database.ts";
import { DOC_THREADS, USERS, type UserName, sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { upload } from "../helpers/attachments.ts";
import { runQuern, quernJson, startQuern } from "../helpers/run-quern.ts";
import { WebhookReceiver } from "../helpers/webhook-receiver.ts";

let server: TestApp;
let receiver: WebhookReceiver;
let place: string;
const folders: string[] = [];

beforeAll(async () => {
  receiver = new WebhookReceiver();
  server = await testApp({ flags: { "attachments-inside": "1KB", "webhook-allow": receiver.host } });
  place = join(freshFolder(), "backups");
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0)) await work();
});

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "quern-test-"));
  folders.push(folder);
  return folder;
}

const backUp = (...more: string[]) =>
  quernJson<BackupReport>(["backup", "--to", place, "--data", server.folder, ...more]);
const restoreTo = (folder: string, name?: string, from = place): Promise<RestoreReport> =>
  restoreBackup({ target: new FolderTarget(from), folder, name, clock: systemClock });
/** For folders that no server in this process has open. */
const backUpClosed = (folder: string, to: string, more: { keep?: number; keepSnapshots?: number } = {}) =>
  createBackup({ folder, target: new FolderTarget(to), keep: 0, keepSnapshots: 10, clock: systemClock, ...more });
const list = (from = place): Promise<BackupListing[]> => listBackups(new FolderTarget(from));

/** Starts a server on the restored data; users keep their keys. */
async function serverOn(folder: string): Promise<Pick<TestApp, "call" | "must">> {
  const app = createApp(
    readConfig(
      { data: folder, "doc-threads": DOC_THREADS, "attachments-inside": "1KB", "webhook-allow": receiver.host },
      {},
    ),
  );
  cleanUp.push(() => app.close());
  const call: TestApp["call"] = async (as, method, path, body) => {
    const key = server.keys[as as UserName];
    const headers = { Host: "x", "Content-Type": "application/json", Authorization: `Bearer ${key}` };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await app.handle(new Request(`http://x/o/team${path}`, init));
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  };
  const must: TestApp["must"] = async <T>(method: string, path: string, body?: unknown) => {
    const reply = await call("owner", method, path, body);
    expect({ path, status: reply.status }).toEqual({ path, status: 200 });
    return reply.body as T;
  };
  return { call, must };
}

/** Returns everything that each user can read of a document. */
async function everythingOf({ call }: Pick<TestApp, "call">, uuid: string): Promise<unknown> {
  const doc = `/api/docs/${uuid}`;
  const seen: unknown[] = [];
  const tables = await call("owner", "GET", `${doc}/tables`);
  const ids = ((tables.body.tables ?? []) as { id: string }[]).map(({ id }) => id);
  const paths = ["", "/access", "/tables", "/states", "/webhooks", "/snapshots", "/attachments"];
  for (const id of ids) paths.push(`/tables/${id}/columns?hidden=1`, `/tables/${id}/records`);
  for (const path of paths) {
    for (const as of Object.keys(USERS) as UserName[]) {
      const { status, body } = await call(as, "GET", doc + path);
      // The time of a write is recorded a little later.
      if (path === "") delete body.updatedAt;
      for (const one of body.snapshots ?? []) if (one.snapshotId === "current") delete one.lastModified;
      seen.push({ path, as, status, body });
    }
  }
  for (const id of [1, 2]) seen.push((await call("owner", "GET", `${doc}/attachments/${id}/download`)).body);
  return seen;
}

const add = (doc: string, records: object[]) =>
  server.must("POST", `/api/docs/${doc}/tables/Table1/records`, { records: records.map((fields) => ({ fields })) });

/** Documents of every kind: shared, with attachments and webhooks, replaced, in the trash. */
async function fill(): Promise<string[]> {
  const { doc, workspaceId } = await sampleDocument(server);
  const make = (name: string) => server.must<string>("POST", `/api/workspaces/${workspaceId}/docs`, { name });
  const [shared, replaced, removed] = [await make("Shared"), await make("Replaced"), await make("Removed")];
  await server.must("PATCH", `/api/docs/${shared}/access`, {
    delta: { users: { "Emil@example.com": "editors", "vito@example.com": "viewers" } },
  });
  const files = [
    { name: "small.txt", content: "small" },
    { name: "large.txt", content: "large ".repeat(1000) },
  ];
  expect((await upload(server, { doc: shared, files })).status).toBe(200);
  await add(doc, [{ A: "Assam", B: 1.5, C: true }, { A: null }, { A: "日本" }]);
  await server.must("POST", `/api/docs/${doc}/apply`, [
    ["AddColumn", "Table1", "Double", { type: "Numeric", isFormula: true, formula: "$B * 2" }],
  ]);
  await server.must("POST", `/api/docs/${shared}/webhooks`, {
    webhooks: [{ fields: { url: receiver.url, tableId: "Table1", eventTypes: ["add"], name: "hook" } }],
  });
  await server.must("POST", `/api/docs/${replaced}/replace`, { sourceDocId: doc });
  await server.must("POST", `/api/docs/${removed}/remove`);
  return [doc, shared, replaced, removed];
}

test("restores documents, access, keys, attachments, webhooks and snapshots", async () => {
  const documents = await fill();
  const report = await backUp();
  expect(report).toMatchObject({ documents: 4, unchanged: 0, problems: [], removed: 0, elsewhere: 0 });
  const before = await Promise.all(documents.map((uuid) => everythingOf(server, uuid)));
  const orgs = await server.must("GET", "/api/orgs");

  const folder = join(freshFolder(), "data");
  const restored = await restoreTo(folder);
  expect(restored).toMatchObject({ name: report.name, createdAt: report.createdAt, problems: [] });
  expect(restored.documents.map(({ uuid, problems }) => ({ uuid, problems })).toSorted(byUuid)).toEqual(
    documents.map((uuid) => ({ uuid, problems: [] as string[] })).toSorted(byUuid),
  );
  expect(readdirSync(folder).toSorted()).toEqual(["docs", "home.sqlite", "lock"]);
  const again = await serverOn(folder);
  expect(await again.must("GET", "/api/orgs")).toEqual(orgs);
  const after = await Promise.all(documents.map((uuid) => everythingOf(again, uuid)));
  expect(after).toEqual(before);
  // Its webhooks continue, with their secret and url.
  await again.must("POST", `/api/docs/${documents[1]}/tables/Table1/records`, { records: [{ fields: { A: "new" } }] });
  expect((await receiver.next())[0]?.rows).toMatchObject([{ A: "new" }]);

  const trial = join(freshFolder(), "trial");
  await restoreBackup({ target: new FolderTarget(place), folder: trial, withWebhooks: false, clock: systemClock });
  const { must } = await serverOn(trial);
  expect(await must<object>("GET", `/api/docs/${documents[1]}/webhooks`)).toEqual({ webhooks: [] });
});

const byUuid = (a: { uuid: string }, b: { uuid: string }): number => (a.uuid < b.uuid ? -1 : 1);

test("unchanged contents are not stored again", async () => {
  const { doc } = await sampleDocument(server);
  await add(doc, [{ A: "one" }]);
  const first = await backUp();
  // Open documents are read and found unchanged.
  const second = await backUp();
  expect(second.addedBytes).toBeLessThan(first.packedBytes / 5);
  const names = (await list()).map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual([second.name, first.name]);
  await add(doc, [{ A: "two" }]);
  await backUp();
  const [older, newer] = [join(freshFolder(), "older"), join(freshFolder(), "newer")];
  await restoreTo(older, second.name);
  await restoreTo(newer);
  const wordsOn = async (folder: string) => {
    const { must } = await serverOn(folder);
    const { records } = await must<{ records: { fields: { A: string } }[] }>(
      "GET",
      `/api/docs/${doc}/tables/Table1/records`,
    );
    return records.map(({ fields }) => fields.A);
  };
  expect(await wordsOn(older)).toEqual(["one"]);
  expect(await wordsOn(newer)).toEqual(["one", "two"]);
});

test("a backup without a server leaves the folder unchanged, and reads closed files only once", async () => {
  const own = await testApp();
  const { doc } = await sampleDocument(own);
  await own.app.close();
  const to = join(freshFolder(), "backups");
  // Recently changed files are read only after the timestamp granularity has passed.
  const first = await backUpClosed(own.folder, to);
  const second = await backUpClosed(own.folder, to);
  expect([first.unchanged, second.unchanged, second.documents]).toEqual([0, 1, 1]);
  expect(readdirSync(join(own.folder, "docs", doc)).toSorted()).toEqual(["document.grist", "snapshots"]);
  await own[Symbol.asyncDispose]();
});

test("each backup adds a snapshot of documents that changed since the last one", async () => {
  const { doc } = await sampleDocument(server);
  const earlierSnapshots = async () => {
    const path = `/api/docs/${doc}/snapshots`;
    const { snapshots } = await server.must<{ snapshots: { snapshotId: string }[] }>("GET", path);
    return snapshots.filter(({ snapshotId }) => snapshotId !== "current");
  };
  await add(doc, [{ A: "one" }]);
  await backUp();
  expect(await earlierSnapshots()).toHaveLength(1);
  await backUp();
  expect(await earlierSnapshots()).toHaveLength(1);
  await add(doc, [{ A: "two" }]);
  await backUp();
  const snapshots = await earlierSnapshots();
  expect(snapshots).toHaveLength(2);
  await server.must("POST", `/api/docs/${doc}/replace`, { snapshotId: snapshots[1]?.snapshotId });
  const { records } = await server.must<{ records: unknown[] }>("GET", `/api/docs/${doc}/tables/Table1/records`);
  expect(records).toMatchObject([{ fields: { A: "one" } }]);
});

test("documents are backed up as consistent snapshots during writes", async () => {
  const docs = [await sampleDocument(server), await sampleDocument(server)].map(({ doc }) => doc);
  for (const doc of docs)
    await server.must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Other", columns: [{ id: "A" }] }] });
  const over = new AbortController();
  const answered: number[] = [];
  const writers = docs.map(async (doc, at) => {
    let written = 0;
    while (!over.signal.aborted) {
      // Both tables in one change: they never differ.
      await server.must("POST", `/api/docs/${doc}/apply`, [
        ["AddRecord", "Table1", null, { A: written }],
        ["AddRecord", "Other", null, { A: String(written) }],
      ]);
      answered[at] = ++written;
      // The output of the commands is read only between two turns of the event loop.
      await new Promise(setImmediate);
    }
  });
  const folders = [];
  for (let round = 0; round < 3; round++) {
    const before = [...answered];
    const { name, problems } = await backUp();
    expect(problems).toEqual([]);
    folders.push({ name, before, folder: join(freshFolder(), "data") });
  }
  over.abort();
  await Promise.all(writers);
  for (const { name, before, folder } of folders) {
    const { documents } = await restoreTo(folder, name);
    expect(documents.flatMap(({ problems }) => problems)).toEqual([]);
    const { must } = await serverOn(folder);
    for (const [at, doc] of docs.entries()) {
      const columnOf = async (table: string) =>
        (await must<{ A: unknown[] }>("GET", `/api/docs/${doc}/tables/${table}/data`)).A.map(Number);
      const rows = await columnOf("Table1");
      expect(rows).toEqual(Array.from(rows, (_, row) => row));
      expect(await columnOf("Other")).toEqual(rows);
      // Includes everything acknowledged before it started.
      expect(rows.length).toBeGreaterThanOrEqual(before[at] ?? 0);
    }
  }
});

test("an interrupted backup leaves earlier ones intact, and the next one succeeds", async () => {
  const own = await testApp();
  const docs: string[] = [];
  for (let at = 0; at < 8; at++) docs.push((await sampleDocument(own)).doc);
  await own.app.close();
  const to = join(freshFolder(), "backups");
  const { name } = await backUpClosed(own.folder, to);
  const count = (): number => readdirSync(join(to, "blobs"), { recursive: true }).length;
  for (const addedContents of [1, 5, 9]) {
    // Change everything each time, so that no file is unchanged.
    for (const doc of docs) changeFile(join(own.folder, "docs", doc, "document.grist"));
    const most = count() + addedContents;
    const child = startQuern(["backup", "--to", to, "--data", own.folder]);
    // Interrupt it after this many blobs.
    while (child.exitCode === null && count() < most) await Bun.sleep(1);
    child.kill("SIGKILL");
    await child.exited;
    const listed = await list(to);
    expect(listed.every(({ damage }) => damage === null)).toBe(true);
    expect(listed.map((one) => one.name)).toContain(name);
    const folder = join(freshFolder(), "data");
    const { documents } = await restoreTo(folder, name, to);
    expect(documents.map(({ problems }) => problems)).toEqual(docs.map(() => []));
  }
  const last = await backUpClosed(own.folder, to);
  expect(last).toMatchObject({ documents: docs.length, problems: [] });
  expect(readdirSync(join(to, "tmp"))).toEqual([]);
  expect(readdirSync(join(own.folder, "tmp"))).toEqual([]);
  await own[Symbol.asyncDispose]();
});

function changeFile(file: string): void {
  using db = new Database(file);
  db.run("update _grist_DocInfo set timezone = 'UTC' || abs(random())");
}

test("old backups are pruned with their blobs", async () => {
  const own = await testApp();
  const { doc } = await sampleDocument(own);
  await own.app.close();
  const to = join(freshFolder(), "backups");
  const stored = () =>
    readdirSync(join(to, "blobs"), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const step = (keep: number) => {
    changeFile(join(own.folder, "docs", doc, "document.grist"));
    return backUpClosed(own.folder, to, { keep, keepSnapshots: 1 });
  };
  for (let at = 0; at < 4; at++) await step(0);
  expect(stored().length).toBeGreaterThan(4);
  const last = await step(1);
  expect(last.removed).toBe(4);
  // The document and the home database.
  expect(stored()).toHaveLength(2);
  const folder = join(freshFolder(), "data");
  expect((await restoreTo(folder, undefined, to)).name).toBe(last.name);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await own[Symbol.asyncDispose]();
});

test("sessions and links are not restored, keys are", async () => {
  const folder = join(freshFolder(), "data");
  const user = server.app.ctx.home.users.list().find(({ email }) => email === USERS.owner.email);
  server.app.ctx.home.sessions.add({
    hash: "a".repeat(64),
    userId: user?.id ?? 0,
    expiresAt: Date.now() + 1e9,
    publicId: "a",
    userAgent: "",
    address: "",
  });
  await backUp();
  await restoreTo(folder);
  using home = openHome(folder);
  const rows = (table: string) => home.raw.get<{ n: number }>(`select count(*) as n from ${table}`)?.n;
  expect([rows("sessions"), rows("tokens")]).toEqual([0, 0]);
  expect(rows("api_keys")).toBe(4);
});

test("a damaged document is reported, and its earlier version kept", async () => {
  const own = await testApp();
  const [one, two] = [await sampleDocument(own), await sampleDocument(own)];
  await own.app.close();
  const to = join(freshFolder(), "backups");
  await backUpClosed(own.folder, to);
  await Bun.write(join(own.folder, "docs", one.doc, "document.grist"), "no database at all, but long enough for one");
  rmSync(join(own.folder, "docs", two.doc, "document.grist"));
  const { status, out, err } = await runQuern(["backup", "--to", to, "--data", own.folder, "--json"]);
  expect(status).toBe(1);
  expect(err[0]).toMatch(/with 2 problems$/);
  const report = JSON.parse(out[0] ?? "") as BackupReport;
  expect(report.problems.map(({ uuid }) => uuid).toSorted(undefined)).toEqual([one.doc, two.doc].toSorted(undefined));
  const folder = join(freshFolder(), "data");
  const restored = await restoreTo(folder, undefined, to);
  expect(restored.documents.map(({ problems }) => problems)).toEqual([[], []]);
  expect(restored.problems).toEqual(report.problems);
  expect(existsSync(join(folder, "docs", two.doc, "document.grist"))).toBe(true);
  await own[Symbol.asyncDispose]();
});
