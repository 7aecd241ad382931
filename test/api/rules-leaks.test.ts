/**
 * Responses must not reveal data that access rules hide. For each kind of hidden data there are two documents that
 * differ only in it; for each request of the editor, both must have equal responses: status, body, ETag and headers.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserAction } from "../../src/doc/actions/apply-user-actions.ts";
import { addingRules } from "../doc/rules/ruled.ts";
import { type Caller, type Reply, testApp, type TestApp } from "../helpers/app.ts";
import { TestClock } from "../helpers/clock.ts";
import { subscribeNow, type ReadEvent } from "../helpers/event-reader.ts";
import { NDJSON } from "../helpers/record-lines.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";
import { BASE, GROUPED_BY, type Kind, KINDS, NO_STRUCTURE, type Side, SHOWN } from "./leaks/scene.ts";
import { DRY_RUNS } from "./leaks/dry-runs.ts";
import type { Way } from "./leaks/guesses.ts";
import { READING, REMOVING, TABLES_AS_THEY_ARE, WRITING } from "./leaks/ways.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ clock: new TestClock(), flags: { "doc-threads": "0", durability: "normal" } });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Columns {
  columns: { id: string; fields: { colRef: number; parentId: number } }[];
}

/** Creates one of the two documents. */
async function makeDocument(kind: Kind, side: Side): Promise<string> {
  const { doc } = await createSharedFixture(server);
  const apply = (actions: readonly UserAction[]) => server.must("POST", `${doc}/apply`, actions);
  await apply(BASE);
  const columns = new Map<string, { colRef: number; parentId: number }>();
  for (const table of ["People", "Vault", "Items", "Notes"]) {
    const { columns: list } = await server.must<Columns>("GET", `${doc}/tables/${table}/columns`);
    for (const { id, fields } of list) columns.set(`${table}.${id}`, fields);
  }
  const refOf = (name: string) => columns.get(name)?.colRef ?? 0;
  await apply(
    Object.entries(SHOWN).flatMap(([name, [table, column]]): UserAction[] => {
      const [own = "", reference = ""] = name.split(".");
      return [
        ["ModifyColumn", own, reference, { visibleCol: refOf(`${table}.${column}`) }],
        ["SetDisplayFormula", own, null, refOf(name), `$${reference}.${column}`],
      ];
    }),
  );
  const source = columns.get("Items.City")?.parentId;
  await apply(GROUPED_BY.map((id) => ["CreateViewSection", source, 0, "record", [refOf(`Items.${id}`)], null]));
  await apply(kind.differs(side));
  await apply(addingRules({ ...NO_STRUCTURE, ...kind.rules }));
  return doc;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, string>;
}

async function replyOf(as: Caller, doc: string, [method, path, body, lines]: Way): Promise<Reply> {
  const target = `${doc}/${path}`;
  if (lines === "answer") return server.call(as, method, target, body, { headers: { Accept: "application/x-ndjson" } });
  if (lines === undefined) return server.call(as, method, target, body);
  const raw = (body as object[]).map((line) => JSON.stringify(line)).join("\n");
  const reply = await server.call(as, method, target, undefined, { raw, headers: NDJSON });
  if (reply.status !== 202) return reply;
  await server.app.ctx.jobs.whenIdle();
  const { id } = reply.body as { id: string };
  const job = await server.call(as, "GET", `/o/docs/api/jobs/${id}`);
  return { ...job, body: { ...(job.body as object), id: "" } };
}

/** Returns the parts of a response that could reveal something: not the request id, and not the id of the document. */
async function answerOf(as: Caller, doc: string, way: Way): Promise<Answer> {
  const reply = await replyOf(as, doc, way);
  const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
  const uuid = doc.split("/").at(-1) ?? "";
  const headers = Object.fromEntries([...reply.headers].filter(([name]) => name !== "x-request-id"));
  // An ETag computed from bytes that contain the document's id.
  if (text.includes(uuid)) delete headers["etag"];
  return { status: reply.status, body: text.replaceAll(uuid, "<document>"), headers };
}

/** Sends requests to both documents, and returns the number of responses by status. */
async function compare(docs: readonly string[], ways: readonly Way[]): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  for (const way of ways) {
    const [left, right] = await Promise.all(docs.map((doc) => answerOf("editor", doc, way)));
    if (JSON.stringify(left) !== JSON.stringify(right)) expect({ way, ...left }).toEqual({ way, ...right });
    const status = left?.status ?? 0;
    // Server errors would hide a difference.
    if (status < 200 || status >= 500) throw new Error(`${status} for ${JSON.stringify(way)}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return statuses;
}

describe.each(KINDS)("$name", (kind) => {
  let docs: string[];
  beforeAll(async () => {
    docs = [await makeDocument(kind, 0), await makeDocument(kind, 1)];
  });

  test("differs for callers who can read it", async () => {
    const [left, right] = await Promise.all(docs.map((doc) => answerOf("owner", doc, ["GET", kind.proof])));
    expect(left?.status).toBe(200);
    expect(left?.body).not.toBe(right?.body);
  });

  test("is not revealed by reads", async () => {
    const statuses = await compare(docs, READING);
    expect(statuses.get(200) ?? 0).toBeGreaterThan(READING.length / 3);
  });

  test("is not revealed by events", async () => {
    const told = await Promise.all(docs.map((doc) => eventsOf(doc, kind)));
    expect(told[0]).toEqual(told[1]);
  });

  test("is not revealed by dry runs", async () => {
    const statuses = await compare(docs, DRY_RUNS);
    expect(statuses.get(200) ?? 0).toBeGreaterThan(20);
    await compare(docs, TABLES_AS_THEY_ARE);
  });

  test("is not revealed by writes, nor afterwards", async () => {
    const statuses = await compare(docs, WRITING);
    expect(statuses.get(200) ?? 0).toBeGreaterThan(20);
    expect(statuses.get(403) ?? 0).toBeGreaterThan(10);
    await compare(docs, TABLES_AS_THEY_ARE);
  });

  test("is not revealed by removing rows, nor afterwards", async () => {
    await compare(docs, REMOVING);
    await compare(docs, TABLES_AS_THEY_ARE);
  });
});

/** Returns the events of the editor while the owner changes hidden data, and then visible data. */
async function eventsOf(doc: string, { changes }: Kind): Promise<unknown[]> {
  await using reader = await subscribeNow(server, "editor", doc);
  const { actionNum } = await server.must<{ actionNum: number }>("POST", `${doc}/apply`, [changes]);
  await server.must("POST", `${doc}/apply`, [["AddTable", "Last", [{ id: "A", type: "Text" }]]]);
  const events: ReadEvent[] = [];
  while (!JSON.stringify(events.at(-1)?.data ?? null).includes('"Last"')) {
    const event = await reader.next();
    if (!event) throw new Error("the stream ended");
    events.push(event);
  }
  // The hidden data differs again for the following tests.
  await server.must("POST", `${doc}/states/${actionNum}/undo`);
  const tables = new Set(
    events.flatMap(({ data }) => (data.tables as { table: string }[]).map((told) => JSON.stringify(told))),
  );
  return [[...tables].toSorted(), events.map(({ id, data }) => [id?.length, Object.keys(data as object)])[0]];
}
