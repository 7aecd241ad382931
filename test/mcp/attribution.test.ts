/** The history and the audit log name the key of each change that tools make. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { AuditRow } from "../../src/home/identity/audit-chain.ts";
import { ENTRIES_AFTER } from "../../src/home/identity/audit-log.ts";
import { setRules } from "../helpers/access-rules.ts";
import { testApp, type TestApp, USERS } from "../helpers/app.ts";
import { callTool, connectTo, createMcpSite, type McpSite, PROTOCOLS } from "./mcp-site.ts";

let server: TestApp;
let site: McpSite;
let key: { id: number; key: string };
let sites = 0;

beforeAll(async () => {
  server = await testApp();
  key = await server.must("POST", "/api/profile/keys", { label: "agent" });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await createMcpSite(server, `Stock ${++sites}`);
});

interface HistoryState {
  readonly n: number;
  readonly user: { readonly email: string } | null;
  readonly key: { readonly id: number; readonly label: string | null } | null;
}

const newestState = async (): Promise<HistoryState> => {
  const { states } = await server.must<{ states: HistoryState[] }>("GET", `/api/docs/${site.stock}/history?limit=1`);
  const [state] = states;
  if (!state) throw new Error("The document has no history");
  return state;
};

type Arguments = (since: number) => Readonly<Record<string, unknown>>;

/** Calls that change the document. */
const CHANGES: readonly (readonly [name: string, args: Arguments])[] = [
  ["add_records", () => ({ table: "Orders", records: [{ Item: "Oil" }] })],
  ["update_records", () => ({ table: "Orders", records: [{ id: 1, fields: { Qty: 6 } }] })],
  ["update_records", () => ({ table: "Orders", filter: { Qty: { gt: 1 } }, fields: { Qty: 6 } })],
  ["upsert_records", () => ({ table: "Customers", records: [{ require: { Name: "Crux" } }] })],
  ["delete_records", () => ({ table: "Orders", ids: [1] })],
  ["change_schema", () => ({ action: "add_columns", table: "Orders", columns: [{ id: "Paid", type: "Bool" }] })],
  ["change_schema", () => ({ action: "delete_table", table: "Orders" })],
  ["write_formula", () => ({ table: "Orders", column: "Triple", formula: "$Qty * 3", apply: true })],
];

/** Calls that change nothing. */
const OTHERS: readonly (readonly [name: string, args: Arguments])[] = [
  ["query_records", () => ({ table: "Orders" })],
  ["query_sql", () => ({ sql: "select * from Orders" })],
  ["explain_cell", () => ({ table: "Orders", row: 1, column: "Double" })],
  ["add_records", () => ({ table: "Orders", records: [{ Item: "Oil" }], dryRun: true })],
  ["delete_records", () => ({ table: "Orders", ids: [1], dryRun: true })],
  ["change_schema", () => ({ action: "delete_table", table: "Orders", dryRun: true })],
  ["write_formula", () => ({ table: "Orders", column: "Triple", formula: "$Qty * 3" })],
  ["undo_my_changes", (since) => ({ since })],
];

describe.each(PROTOCOLS)("by %s", (protocol) => {
  const run = async (name: string, args: Arguments) => {
    await using client = await connected(protocol);
    const before = await newestState();
    const { isError, result } = await callTool(client, name, { document: site.stock, ...args(before.n) });
    expect({ name, isError, result }).toMatchObject({ isError: false });
    return { before, after: await newestState(), result };
  };

  test.each(CHANGES)("%s: the history has the user and the key", async (name, args) => {
    const { before, after } = await run(name, args);
    expect(after.n).toBeGreaterThan(before.n);
    expect(after).toMatchObject({ user: { email: USERS.owner.email }, key: { id: key.id, label: "agent" } });
  });

  test.each(OTHERS)("%s leaves no state", async (name, args) => {
    const { before, after } = await run(name, args);
    expect(after).toEqual(before);
  });

  test("an undo is a change by the key as well", async () => {
    const { before } = await run("add_records", () => ({ table: "Orders", records: [{ Item: "Oil" }] }));
    const { result } = await run("undo_my_changes", () => ({ since: before.n }));
    const { after } = await run("undo_my_changes", () => ({ since: before.n, planId: result.planId }));
    expect(after).toMatchObject({ user: { email: USERS.owner.email }, key: { id: key.id } });
  });
});

interface AuditedCall {
  readonly action: string;
  readonly columns?: readonly object[];
  readonly newTable?: string;
  /** What the audit log has of it. */
  readonly events: readonly string[];
}

const AUDITED: readonly AuditedCall[] = [
  { action: "rename_table", newTable: "Sales", events: ["rules.changed"] },
  { action: "modify_columns", columns: [{ id: "Qty", newId: "Pieces" }], events: ["rules.changed"] },
  { action: "modify_columns", columns: [{ id: "Qty", description: "Pieces" }], events: [] },
];

test.each(AUDITED)("$action of a table with access rules: the audit log has $events with the key", async (change) => {
  const { events, ...args } = change;
  await setRules(server, `/api/docs/${site.stock}`, {
    "Orders:Qty": [{ formula: "user.Access != OWNER", permissions: "-R" }],
  });
  const { ctx } = server.app;
  if (!(await ctx.audit.flush())) throw new Error("The audit log was not written");
  const last = ctx.home.raw.all<AuditRow>(ENTRIES_AFTER, 0, 100_000).at(-1)?.number ?? 0;
  await using client = await connected("2026-07-28");
  const { isError, result } = await callTool(client, "change_schema", {
    document: site.stock,
    table: "Orders",
    ...args,
  });
  expect({ isError, result }).toMatchObject({ isError: false });
  expect(await ctx.audit.flush()).toBe(true);
  const entries = ctx.home.raw.all<AuditRow>(ENTRIES_AFTER, last, 100_000);
  expect(entries.map(({ event, actor, keyId }) => ({ event, actor, key: keyId }))).toEqual(
    events.map((event) => ({ event, actor: USERS.owner.email, key: key.id })),
  );
});

async function connected(protocol: (typeof PROTOCOLS)[number]) {
  const client = await connectTo(server, { protocol, key: key.key });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
