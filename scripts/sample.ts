/**
 * Finds the sample document of `scripts/start`, creates it if the site has no document yet, and prints a command that
 * reads it: `bun scripts/sample.ts ADDRESS KEY`.
 */
import { join } from "node:path";

interface Column {
  name: string;
  type: string;
}

const NAME = "Workshop stock";
const TABLE = "Stock";
const [address = "", key = ""] = Bun.argv.slice(2);

const found = await find();
const id = found === null ? await make() : found;
const path = id === undefined ? "/api/orgs" : `/api/docs/${id}/tables/${TABLE}/records?limit=3`;
console.log(`curl -H "Authorization: Bearer ${key}" "${address}${path}"`);

/** Returns the sample document; null if the site has no documents, undefined if it has only others. */
async function find(): Promise<string | null | undefined> {
  const workspaces = await call<{ docs: { id: number; name: string }[] }[]>("GET", "/orgs/current/workspaces");
  const documents = workspaces.flatMap(({ docs }) => docs);
  const found = documents.find(({ name }) => name === NAME);
  if (!found && documents.length > 0) return undefined;
  return found ? String(found.id) : null;
}

async function make(): Promise<string> {
  const [workspace] = await call<{ id: number }[]>("GET", "/orgs/current/workspaces");
  if (!workspace) throw new Error("the first user's site has no workspace");
  const [head = "", ...lines] = (await Bun.file(join(import.meta.dir, "sample.csv")).text()).trim().split("\n");
  const columns = head.split(",").map((cell): Column => {
    const [name = "", type = "Text"] = cell.split(":");
    return { name, type };
  });
  const made = await call<string>("POST", `/workspaces/${workspace.id}/docs`, { name: NAME });
  const described = columns.map(({ name, type }) => ({ id: name, fields: { label: name, type } }));
  const value = { id: "Value", fields: { label: "Value", type: "Numeric", formula: "$Quantity * $Price" } };
  await call("POST", `/docs/${made}/tables`, { tables: [{ id: TABLE, columns: [...described, value] }] });
  const records = lines.map((line) => {
    const cells = line.split(",");
    return { fields: Object.fromEntries(columns.map((column, i) => [column.name, valueOf(column, cells[i] ?? "")])) };
  });
  await call("POST", `/docs/${made}/tables/${TABLE}/records`, { records });
  await summarize(made, "Category");
  // Every new document has an empty table.
  await call("POST", `/docs/${made}/apply`, [["RemoveTable", "Table1"]]);
  return made;
}

/** Creates a summary table with a row for each value of a column and the sums of all numbers. */
async function summarize(doc: string, column: string): Promise<void> {
  type Listed<F> = { id: string; fields: F }[];
  const { tables } = await call<{ tables: Listed<{ tableRef: number }> }>("GET", `/docs/${doc}/tables`);
  const { columns } = await call<{ columns: Listed<{ colRef: number }> }>(
    "GET",
    `/docs/${doc}/tables/${TABLE}/columns`,
  );
  const table = tables.find(({ id }) => id === TABLE)?.fields.tableRef;
  const group = columns.find(({ id }) => id === column)?.fields.colRef;
  await call("POST", `/docs/${doc}/apply`, [["CreateViewSection", table, 0, "record", [group], null]]);
}

/** Converts a cell for the API: dates are seconds. */
function valueOf({ type }: Column, text: string): unknown {
  if (type === "Int" || type === "Numeric") return Number(text);
  if (type === "Bool") return text === "true";
  return type === "Date" ? Date.parse(text) / 1000 : text;
}

async function call<T>(method: string, route: string, body?: unknown): Promise<T> {
  const response = await fetch(`${address}/api${route}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
