import type { Visit } from "./browser.ts";

/** Calls the API as the signed-in user. */
export async function call<T = unknown>({ context }: Visit, method: string, path: string, data?: unknown): Promise<T> {
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  const response = await context.request.fetch(path, { method, headers, ...(data !== undefined && { data }) });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Returns a function that calls the API as the signed-in user, for paths without `/api`. */
export const apiOf =
  (visit: Visit) =>
  <T>(method: string, path: string, body?: unknown): Promise<T> =>
    call<T>(visit, method, `/api${path}`, body);

export interface Listed {
  readonly id: number;
  readonly name: string;
  readonly docs: { readonly name: string; readonly uuid: string; readonly isPinned: boolean }[];
}

/** Returns the workspaces of the signed-in user, with their documents. */
export const listed = (visit: Visit): Promise<Listed[]> => call<Listed[]>(visit, "GET", "/api/orgs/current/workspaces");

/** Creates a document for the signed-in user and returns its UUID. */
export async function makeDocument(visit: Visit, name = "Library"): Promise<string> {
  const [home] = await listed(visit);
  return call<string>(visit, "POST", `/api/workspaces/${home?.id}/docs`, { name });
}

export interface NewColumn {
  readonly id: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Creates a table with rows. */
export async function makeTable(
  visit: Visit,
  doc: string,
  { id, columns, rows }: { id: string; columns: readonly NewColumn[]; rows: readonly Record<string, unknown>[] },
): Promise<void> {
  await call(visit, "POST", `/api/docs/${doc}/tables`, { tables: [{ id, columns }] });
  if (rows.length === 0) return;
  await call(visit, "POST", `/api/docs/${doc}/tables/${id}/records`, { records: rows.map((fields) => ({ fields })) });
}

/** Returns the records of a table from the API. */
export const records = (visit: Visit, doc: string, table: string) =>
  call<{ records: { id: number; fields: Record<string, unknown> }[] }>(
    visit,
    "GET",
    `/api/docs/${doc}/tables/${table}/records`,
  ).then(({ records: found }) => found);
