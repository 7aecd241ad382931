/** A data folder with the document of a million rows, which is made once and copied for every figure. */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startServer } from "../../running-server.ts";
import { createApi } from "../../stress/load/api.ts";
import { MILLION_COLUMNS, millionRowOf } from "./rows.ts";

export interface PreparedFolder {
  /** Holds `data`, the data folder. */
  readonly folder: string;
  readonly key: string;
  readonly workspace: number;
  /** UUID of the document with the table Big. */
  readonly document: string;
  /** UUIDs of small documents with the table Big of 100 rows. */
  readonly others: readonly string[];
  readonly rows: number;
}

const OTHERS = 10;
const ROWS_OF_OTHERS = 100;

/** Returns what `folder` holds; makes it first if it does not exist. */
export async function prepareFolder(
  folder: string,
  { rows, executable }: { rows: number; executable: string },
): Promise<PreparedFolder> {
  const description = join(folder, "bench.json");
  if (existsSync(description)) {
    const prepared = (await Bun.file(description).json()) as PreparedFolder;
    if (prepared.rows !== rows) throw new Error(`${folder} has ${prepared.rows} rows, not ${rows}`);
    return { ...prepared, folder };
  }
  await mkdir(folder, { recursive: true });
  const made = await makeDocuments(folder, executable);
  fill(folder, made.document, rows);
  for (const other of made.others) fill(folder, other, ROWS_OF_OTHERS);
  const prepared = { ...made, folder, rows };
  await Bun.write(description, JSON.stringify(prepared));
  return prepared;
}

async function makeDocuments(folder: string, executable: string) {
  await using server = await startServer({
    executable: [executable],
    settings: { QUERN_DATA: join(folder, "data") },
  });
  await server.command("user", "add", "--email", "bench@example.com", "--name", "Bench");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "bench@example.com");
  const api = createApi(server.address, key);
  const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Bench" });
  const makeDocument = async (name: string) => {
    const document = await api.send<string>("POST", `/workspaces/${workspace}/docs`, { name });
    const columns = MILLION_COLUMNS.map(({ id, type }) => ({ id, fields: { label: id, type } }));
    await api.send("POST", `/docs/${document}/tables`, { tables: [{ id: "Big", columns }] });
    return document;
  };
  const document = await makeDocument("Big");
  const others: string[] = [];
  for (let i = 1; i <= OTHERS; i++) others.push(await makeDocument(`Other ${i}`));
  return { key, workspace, document, others };
}

/** Writes the rows directly in SQLite while no server runs, which is faster than by requests. */
function fill(folder: string, document: string, rows: number): void {
  using db = new Database(join(folder, "data/docs", document, "document.grist"));
  const names = ["id", "manualSort", ...MILLION_COLUMNS.map(({ id }) => id)];
  const insert = db.prepare(`insert into Big (${names.join(",")}) values (${names.map(() => "?").join(",")})`);
  db.transaction(() => {
    for (let id = 1; id <= rows; id++) insert.run(id, id, ...millionRowOf(id));
  })();
}
