/** Verbs that read snapshots give the same answers on a read-only connection as in the document's own thread. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DocumentGrant, UserActor } from "../../src/authorization.ts";
import { OpenDocument } from "../../src/doc/document.ts";
import { AppError } from "../../src/errors.ts";
import type { Verb } from "../../src/hosts/verbs/verb.ts";
import type { LiveRead } from "../../src/hosts/verbs/live/live.ts";
import type { Rendered } from "../../src/hosts/verbs/render.ts";
import { type VerbArgs, type VerbName, verbs } from "../../src/hosts/verbs/verbs.ts";
import type { Clock } from "../../src/lib/time/clock.ts";
import { grantOf, sampleDocument } from "../doc/read/sample.ts";

type AnyVerb = Verb<unknown, unknown>;

const ALL = Object.entries(verbs) as [VerbName, AnyVerb][];
const SNAPSHOT_VERBS = ALL.filter(([, { reads }]) => reads === "snapshot").map(([name]) => name);
const HOOK = "5f8b7a4e-7ef5-4a27-9b6d-3c1f0a6f2d11";

const LIVE_QUERY = { table: "Books", hidden: false, filter: '{"Pages":{"gte":2}}', fields: "Title" };

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The published form of the document below. */
const FORM = { section: 90, linkId: "club", generation: "" };
const PUBLISHED_FORM = `
  insert into _grist_Views (id, name) values (90, 'Join');
  insert into _grist_Shares (id, linkId, options) values (90, 'club', '{"publish":true}');
  insert into _grist_Pages (id, viewRef, shareRef) values (90, 90, 90);
  insert into _grist_Views_section (id, tableRef, parentId, parentKey, shareOptions)
    select 90, id, 90, 'form', '{"form":true,"publish":true}' from _grist_Tables where tableId = 'Club';
  insert into _grist_Views_section_field (parentId, colRef, parentPos)
    select 90, id, id from _grist_Tables_column where colId in ('Member', 'Book', 'Photo')`;

/** Arguments of each verb for the document below. */
const ARGS: { readonly [V in VerbName]?: VerbArgs<V> } = {
  "tables.list": { expandColumns: true },
  "columns.list": { table: "Books", hidden: true },
  "tables.rowLimits": { table: "Books" },
  "records.fetch": { table: "Books", hidden: false, typed: false, sort: "-Title", filter: '{"Pages":[1,2]}' },
  "records.list": { table: "Books", body: encode({ sort: ["Title"] }) },
  "record.get": { table: "Books", row: "1", hidden: true, fields: "Title", cellFormat: "display" },
  "records.aggregate": { table: "Books", body: encode({ groupBy: ["Pages"], measures: { last: { last: "Title" } } }) },
  "document.search": { query: "b", limit: 5 },
  "jobs.get": { id: "missing" },
  "data.fetch": { table: "Books", typed: false },
  "export.delimited": { table: "Books", header: "label", format: "csv" },
  "export.schema": { table: "Books", header: "label", path: "/csv" },
  "export.sheet": { table: "Books", header: "label" },
  "export.workbook": { header: "label" },
  "attachments.list": {},
  "attachments.get": { id: 1 },
  "attachments.find": { id: 1 },
  "attachments.contents": {},
  "attachments.count": {},
  "attachments.read": { ident: "note.txt", start: 0, endExclusive: 3 },
  "attachments.stored": {},
  "attachments.locations": { idents: ["note.txt", "other.txt"] },
  "attachments.store": {},
  "states.list": {},
  "states.describe": { before: null, limit: 5 },
  "states.at": { at: "2" },
  "states.compare": {},
  "history.states": {},
  "history.relate": { otherStates: [] },
  "history.changes": {},
  "document.mayCopy": null,
  "document.file": null,
  "document.mayReplace": null,
  "document.usage": null,
  "sql.open": {},
  "rules.attributeUsers": null,
  "webhooks.list": null,
  "webhooks.attempts": { id: HOOK },
  "webhooks.sent": { id: HOOK, attempt: 1 },
  "webhooks.sample": { id: HOOK },
  "schema.read": { form: "yaml" },
  "undo.plan": { since: 1 },
  "restore.plan": { state: 1, table: "Books" },
  "live.describe": LIVE_QUERY,
  "live.read": { query: LIVE_QUERY, rights: "", seed: 5n, known: null, whole: "yes", resumed: [{ n: 1, h: "other" }] },
  "forms.read": { section: FORM.section, forPage: true },
  "forms.countAnswers": { section: FORM.section },
  "forms.readPublished": { section: FORM.section, forPage: true },
  "forms.linkedRows": { table: "Books" },
  "forms.check": {
    form: { section: FORM.section },
    answers: { kind: "fields", fields: { Member: "Dora" } },
    noparse: false,
    session: null,
    isSignedIn: false,
  },
  "forms.mayUpload": null,
  "events.since": { from: { n: 1, h: null, mark: null, seesEverything: true } },
};

const clock: Clock = { now: () => 1_700_000_000_000, elapsed: () => 0 };
const actor: UserActor = {
  kind: "user",
  userId: 1,
  email: "olga@example.com",
  name: "Olga Owner",
  ref: "olga",
  isAdmin: false,
  isService: false,
  via: "key",
  keyId: 1,
};
const grant: DocumentGrant = { ...grantOf("11111111-2222-4333-8444-555555555555"), actor };
let writer: OpenDocument;

/** Returns the answer of a verb, or the code of its refusal. */
function run(document: OpenDocument, name: VerbName, args: unknown): unknown {
  try {
    const { overForms = false, run: runVerb } = verbs[name] as AnyVerb;
    return runVerb(document, overForms ? { ...grant, formLink: FORM } : grant, args);
  } catch (error) {
    if (error instanceof AppError && args === ARGS["jobs.get"]) return error.reason;
    throw error;
  }
}

/** Runs a verb on a reader of its own, and returns all of a large answer. */
function runInSnapshot(name: VerbName): unknown {
  using reader = new OpenDocument(writer.path, { access: "read", clock });
  return whole(
    reader,
    reader.readSnapshot(() => run(reader, name, ARGS[name])),
  );
}

const runInOwnThread = (name: VerbName): unknown => whole(writer, run(writer, name, ARGS[name]));

function whole(document: OpenDocument, answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("cursor" in answer)) return answer;
  const { first, cursor } = answer as Extract<Rendered, { kind: "cursor" }>;
  const parts = [first];
  for (let part = document.cursors.next(cursor); part; part = document.cursors.next(cursor)) parts.push(part);
  return Buffer.concat(parts).toString("latin1");
}

/** The position of a subscriber names the buffer of the thread. */
function withAnyPosition(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  if ("state" in answer) return { ...answer, state: withAnyPosition(answer.state) };
  return "position" in answer ? { ...answer, position: expect.anything() } : answer;
}

function add(title: string): void {
  const body = encode({ records: [{ fields: { Title: title, Pages: 2 } }] });
  run(writer, "records.add", { table: "Books", noparse: true, flat: false, body } satisfies VerbArgs<"records.add">);
}

beforeAll(() => {
  writer = sampleDocument(
    [
      { id: "Books", columns: { Title: "Text", Pages: "Int" }, rows: [{ Title: "A", Pages: 1 }] },
      { id: "Club", columns: { Member: "Text", Book: "Ref:Books", Photo: "Attachments" }, rows: [] },
    ],
    {
      clock,
    },
  );
  writer.db.exec(PUBLISHED_FORM);
  const file = { fileName: "note.txt", fileExt: ".txt", ident: "note.txt", sizeBytes: 4, width: 0, height: 0 };
  const content = { ident: "note.txt", bytes: encode("no") };
  run(writer, "attachments.add", { files: [file], contents: [content], stored: [] });
  run(writer, "webhooks.add", { webhooks: [{ id: HOOK, fields: { tableId: "Books", eventTypes: ["add"] } }] });
  add("B");
  const { batches } = run(writer, "webhooks.due", { busy: [] }) as { batches: { id: string }[] };
  const outcome = {
    at: clock.now(),
    durationMs: 1,
    isSuccess: true,
    httpStatus: 200,
    message: null,
    isForbidden: false,
  };
  run(writer, "webhooks.recordOutcome", { hook: HOOK, batch: batches[0]?.id, outcome, retry: null });
  add("C");
});

afterAll(() => writer.close());

test.each(SNAPSHOT_VERBS)("%s", (name) => {
  const answer = runInOwnThread(name);
  expect(runInSnapshot(name)).toEqual(withAnyPosition(answer));
});

test("a reader continues a live query from a state that the document's own thread has read", () => {
  const first = run(writer, "live.read", ARGS["live.read"]) as LiveRead;
  add("Next");
  const args = {
    ...(ARGS["live.read"] as VerbArgs<"live.read">),
    known: first.state,
    resumed: [{ n: first.state.position.n, h: first.state.position.h }],
  } satisfies VerbArgs<"live.read">;
  using reader = new OpenDocument(writer.path, { access: "read", clock });
  const [own, read] = [writer, reader].map((document) => run(document, "live.read", args) as LiveRead);
  expect(read).toEqual(withAnyPosition(own) as LiveRead);
  expect(new TextDecoder().decode(read?.change ?? undefined)).toContain('"Next"');
  expect(read?.resumptions).toMatchObject([{ kind: "change" }]);
});

test("the plan of an undo contains the changes of the document above", () => {
  const { bytes } = run(writer, "undo.plan", ARGS["undo.plan"]) as { bytes: Uint8Array };
  const { counts } = JSON.parse(new TextDecoder().decode(bytes)) as { counts: { removedRows: number } };
  expect(counts.removedRows).toBeGreaterThan(0);
});

test("a reader sees what was committed since its last read, and the queues of webhooks", () => {
  using reader = new OpenDocument(writer.path, { access: "read", clock });
  for (const title of ["D", "E"]) {
    for (const name of ["records.fetch", "webhooks.list", "webhooks.attempts", "states.list"] as const) {
      expect(reader.readSnapshot(() => run(reader, name, ARGS[name]))).toEqual(run(writer, name, ARGS[name]));
    }
    add(title);
  }
});

test("a reader can change neither the file nor the files beside it", () => {
  const folder = dirname(writer.path);
  const files = () =>
    readdirSync(folder).map((name) => [name, name.endsWith("-shm") ? "" : readFileSync(`${folder}/${name}`)]);
  add("F");
  const before = files();
  const reader = new OpenDocument(writer.path, { access: "read", clock });
  const changes = ["delete from Books", "create table Other (id)", "create temp table Other (id)", "vacuum"];
  for (const sql of [...changes, "pragma wal_checkpoint(truncate)"]) expect(() => reader.db.exec(sql)).toThrow();
  reader.close();
  expect(files()).toEqual(before);
});
