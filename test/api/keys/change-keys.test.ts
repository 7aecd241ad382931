/** Which API keys made the changes of a document, in its history. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changeCredentialsOf, recordChangeKey } from "../../../src/doc/history/change-keys.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { startSession } from "../../../src/services/accounts/sign-in.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { sampleDocument, testApp, type TestApp, USERS } from "../../helpers/app.ts";
import { callWithToken, createToken } from "../../helpers/end-users.ts";
import { limitedKey } from "../../helpers/limited-keys.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

let server: TestApp;
let session: string;

beforeAll(async () => {
  server = await testApp();
  const { ctx } = server.app;
  const { userId } = actorForCommand(ctx, USERS.owner.email);
  const browser = { address: "192.0.2.1", userAgent: "", device: null };
  session = ctx.home.transaction(() => startSession(ctx, userId, browser)).token;
});
afterAll(() => server[Symbol.asyncDispose]());

interface ListedState {
  readonly n: number;
  readonly key: { readonly id: number; readonly label: string | null } | null;
}

type Headers = Readonly<Record<string, string>>;

const bySession = (): Headers => ({ Cookie: `quern_session=${session}` });
const byKey = (key: string): Headers => ({ Authorization: `Bearer ${key}` });
const newKey = (): string => limitedKey(server, "owner", { scopes: ["records:write"] });

async function add(doc: string, headers: Headers, status = 200): Promise<void> {
  const body = { records: [{ fields: { A: "x" } }] };
  const reply = await server.call("anon", "POST", `/api/docs/${doc}/tables/Table1/records`, body, { headers });
  expect(reply.status).toBe(status);
}

async function keysOf(doc: string, as: "owner" | "editor" = "owner"): Promise<ListedState["key"][]> {
  const { status, body } = await server.call(as, "GET", `/api/docs/${doc}/history`);
  expect(status).toBe(200);
  return (body as { states: ListedState[] }).states.map(({ key }) => key);
}

const idOf = (key: string): number | undefined => {
  const { home } = server.app.ctx;
  return home.keys
    .listOf(actorForCommand(server.app.ctx, USERS.owner.email).userId)
    .find(({ prefix }) => key.startsWith(prefix))?.id;
};

const fileOf = (doc: string): string => join(server.folder, "docs", doc, "document.grist");

test("owners see the key of each change, with the labels of their own keys", async () => {
  const { doc } = await sampleDocument(server);
  const [first, second] = [newKey(), newKey()];
  const token = await createToken(server, `/api/docs/${doc}`);
  const senders = [bySession(), byKey(first), byKey(first), bySession(), byKey(second), byKey(first)];
  for (const headers of senders) await add(doc, headers);
  const reply = await callWithToken(server, token, [
    "POST",
    `/api/docs/${doc}/tables/Table1/records`,
    { records: [{ fields: {} }] },
  ]);
  expect(reply.status).toBe(200);
  const own = (await keysOf(doc)).slice(0, 7).toReversed();
  const label = expect.stringMatching(/^limited \d+$/);
  const [a, b] = [
    { id: idOf(first), label },
    { id: idOf(second), label },
  ];
  // The token belongs to the profile key of the owner, which has no label.
  expect(own).toEqual([null, a, a, null, b, a, { id: idOf(server.keys.owner), label: null }] as never);
  // A row for each time that the key changes.
  using db = new Database(fileOf(doc), { readonly: true });
  expect(db.values("select count(*) from _quern_changes where actionNum > 1")[0]).toEqual([5]);
});

test("others see no keys, and revoked ones have no label", async () => {
  const { doc } = await sampleDocument(server);
  const { email } = USERS.editor;
  await server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { [email]: "owners" } } });
  const key = newKey();
  await add(doc, byKey(key));
  expect((await keysOf(doc, "editor"))[0]).toEqual({ id: idOf(key) ?? 0, label: null });
  await server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { [email]: "editors" } } });
  expect(new Set(await keysOf(doc, "editor"))).toEqual(new Set([null]));
  const id = idOf(key) ?? 0;
  server.app.ctx.home.transaction(() => server.app.ctx.home.keys.remove(id));
  expect((await keysOf(doc))[0]).toEqual({ id, label: null });
});

test("rolled back changes, and the first of a document among them, leave nothing behind", async () => {
  const { doc } = await sampleDocument(server);
  const batch = (operations: readonly unknown[], headers: Headers) =>
    server.call("anon", "POST", `/api/docs/${doc}/batch`, { operations }, { headers });
  const addRow = { op: "add", table: "Table1", records: [{ fields: { A: "y" } }] };
  const failing = { ...addRow, table: "None" };
  const before = await keysOf(doc);
  for (let round = 0; round < 2; round++) {
    const refused = await batch([addRow, addRow, failing], byKey(newKey()));
    expect(refused.status).toBe(404);
    expect(await keysOf(doc)).toEqual(before);
  }
  const dryRun = `/api/docs/${doc}/tables/Table1/records?dryrun=1`;
  for (let round = 0; round < 2; round++) {
    const body = { records: [{ fields: {} }] };
    expect((await server.call("anon", "POST", dryRun, body, { headers: byKey(newKey()) })).status).toBe(200);
    expect(await keysOf(doc)).toEqual(before);
  }
  const key = newKey();
  expect((await batch([addRow, addRow], byKey(key))).status).toBe(200);
  await add(doc, bySession());
  expect((await keysOf(doc)).slice(0, 2).map((each) => each?.id)).toEqual([undefined, idOf(key)]);
});

test("old rows are deleted with the states, and the key of the oldest kept state stays known", async () => {
  const { doc } = await sampleDocument(server);
  const keys = [newKey(), newKey(), newKey()];
  for (const key of keys) for (let i = 0; i < 3; i++) await add(doc, byKey(key));
  await server.must("POST", `/api/docs/${doc}/states/remove`, { keep: 5 });
  const ids = keys.map(idOf);
  expect((await keysOf(doc)).map((each) => each?.id)).toEqual([ids[2], ids[2], ids[2], ids[1], ids[1]]);
  using db = new Database(fileOf(doc), { readonly: true });
  expect(db.values("select keyId from _quern_changes order by actionNum")).toEqual([[ids[1] ?? 0], [ids[2] ?? 0]]);
});

test("downloads and copies know no keys", async () => {
  const { doc, workspaceId } = await sampleDocument(server);
  await add(doc, byKey(newKey()));
  const url = `http://quern.test/o/team/api/docs/${doc}/download`;
  const response = await server.app.handle(
    new Request(url, { headers: { Host: "quern.test", ...byKey(server.keys.owner) } }),
  );
  const path = join(tempFolder(), "copy.grist");
  writeFileSync(path, await response.bytes());
  using db = new Database(path, { readonly: true });
  expect(db.values("select name from sqlite_schema where name like '%quern%'")).toEqual([]);
  const copy = await server.must<string>("POST", "/api/docs", { workspaceId, sourceDocumentId: doc });
  expect(readdirSync(join(server.folder, "docs"))).toContain(copy);
  expect(new Set(await keysOf(copy))).toEqual(new Set([null]));
});

test("a table that a rollback has removed is created again", () => {
  using db = new Database(join(tempFolder(), "file.sqlite"), { create: true });
  let invalidated = 0;
  // What was read in the transaction that was rolled back.
  const schema = { stored: new Map([["_quern_changes", new Set(["actionnum", "keyid", "isenduser"])]]) };
  const credential = { keyId: 7, isEndUser: true };
  recordChangeKey({ db, schema, invalidateSchema: () => void invalidated++ }, 5, credential);
  expect(changeCredentialsOf(db)(9)).toEqual(credential);
  expect(invalidated).toBe(2);
});
