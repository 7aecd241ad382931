import { expect } from "bun:test";
import type { TestApp } from "../../helpers/app.ts";

type Read = readonly [method: "GET" | "POST", path: string, body?: unknown];

const METADATA = [
  "_grist_Tables",
  "_grist_Tables_column",
  "_grist_Views_section",
  "_grist_ACLRules",
  "_grist_Attachments",
];

/** Returns one request of each route for the tables that the document has at a state. */
function readsOf(tables: readonly string[]): Read[] {
  const ofTable = tables.flatMap((table): Read[] => [
    ["GET", `tables/${table}/records?hidden=1`],
    ["GET", `tables/${table}/records?cellFormat=display&total=1&limit=2`],
    ["GET", `tables/${table}/records/1`],
    ["POST", `tables/${table}/records/list`, { sort: ["-id"], limit: 3 }],
    ["GET", `tables/${table}/data`],
    ["POST", `tables/${table}/aggregate`, { measures: { n: "count" } }],
    ["GET", `download/csv?tableId=${table}`],
    ["GET", `download/tsv?tableId=${table}&header=colId`],
    ["GET", `download/dsv?tableId=${table}`],
    ["GET", `sql?q=${encodeURIComponent(`select * from "${table}" order by id`)}`],
    ["POST", "sql", { sql: `select count(*) as n from "${table}" where id > ?`, args: [1] }],
  ]);
  const schemas = tables.map((table): Read => ["GET", `download/table-schema?tableId=${table}`]);
  const metadata = METADATA.map((table): Read => ["GET", `tables/${table}/records`]);
  return [...ofTable, ...schemas, ...metadata, ["GET", "download/xlsx"]];
}

/** The answers of all reads at one state. */
export interface Recording {
  readonly n: number;
  readonly tables: readonly string[];
  readonly answers: ReadonlyMap<string, unknown>;
}

const withAt = (path: string, at: string): string => `${path}${path.includes("?") ? "&" : "?"}at=${at}`;

async function answersOf(server: TestApp, doc: string, tables: readonly string[], at?: string) {
  const answers = new Map<string, unknown>();
  for (const [method, path, body] of readsOf(tables)) {
    const reply = await server.call("owner", method, `${doc}/${at === undefined ? path : withAt(path, at)}`, body);
    // The description contains its own address, and a workbook the time.
    const content = path.includes("table-schema")
      ? { ...reply.body, path: "" }
      : path === "download/xlsx"
        ? typeof reply.body
        : reply.body;
    answers.set(`${method} ${path}`, { status: reply.status, content });
    if (at !== undefined && reply.status === 200)
      expect({ path, state: reply.headers.get("x-quern-state") }).toEqual({ path, state: at });
  }
  return answers;
}

const newestOf = async (server: TestApp, doc: string): Promise<number> =>
  (await server.must<{ states: { n: number }[] }>("GET", `${doc}/states`)).states[0]?.n ?? 0;

/** Reads the present document by every route. */
export async function record(server: TestApp, doc: string): Promise<Recording> {
  const { tables } = await server.must<{ tables: { id: string }[] }>("GET", `${doc}/tables`);
  const ids = tables.map(({ id }) => id);
  return { n: await newestOf(server, doc), tables: ids, answers: await answersOf(server, doc, ids) };
}

/** Reads a state by every route, and compares the answers with those of the time. */
export async function expectSameAt(server: TestApp, doc: string, { n, tables, answers }: Recording): Promise<void> {
  const found = await answersOf(server, doc, tables, String(n));
  for (const [read, answer] of answers) expect({ n, read, answer: found.get(read) }).toEqual({ n, read, answer });
}
