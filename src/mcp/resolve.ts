/** Finds documents by name, and says which tables and columns exist when a name is wrong. */
import { type Api, ApiRefusal, queryOf } from "./api.ts";
import { ToolRefusal } from "./tool.ts";

interface FoundDocument {
  readonly id: string | number;
  readonly name: string;
  readonly workspace: { readonly name: string };
  readonly site: { readonly name: string };
}

/** Maximum number of candidates in a refusal. */
const MAX_CANDIDATES = 20;
const MAX_COLUMNS = 200;

/** Runs requests about a document, which the caller names by its id, or by its name if no other has it. */
export async function inDocument<T>(api: Api, document: string, run: (path: string) => Promise<T>): Promise<T> {
  try {
    return await run(documentPath(document));
  } catch (error) {
    if (!isMissingDocument(error)) throw error;
    const found = await findByName(api, document, error);
    return run(documentPath(String(found.id)));
  }
}

const documentPath = (ref: string): string => `/api/docs/${encodeURIComponent(ref)}`;

const isMissingDocument = (error: unknown): error is ApiRefusal =>
  error instanceof ApiRefusal && (error.code === "document.not_found" || error.code === "document.ambiguous");

async function findByName(api: Api, name: string, refusal: ApiRefusal): Promise<FoundDocument> {
  const candidates = await searchDocuments(api, name);
  if (!candidates) throw refusal;
  const exact = candidates.filter((each) => each.name.toLowerCase() === name.trim().toLowerCase());
  const [only] = exact;
  if (only && exact.length === 1) return only;
  const listed = (exact.length > 0 ? exact : candidates).slice(0, MAX_CANDIDATES);
  if (exact.length > 1) {
    throw new ToolRefusal("document.ambiguous", "Several documents have this name", {
      next: "Ask which one is meant, or choose from details.candidates, and pass its id as document.",
      details: { candidates: listed.map(briefly) },
    });
  }
  throw new ToolRefusal("document.not_found", "No document has this id or name", {
    next:
      listed.length > 0
        ? "Choose from details.candidates, and pass the id as document."
        : "Call find_documents without a query to list the documents that the key reaches, and pass an id from there.",
    details: { candidates: listed.map(briefly) },
  });
}

/** Returns null if the key may not search, or the text has no words. */
async function searchDocuments(api: Api, name: string): Promise<readonly FoundDocument[] | null> {
  try {
    const { documents } = await api.get<{ documents: FoundDocument[] }>(
      `/api/search${queryOf({ q: name.slice(0, 200), limit: 100 })}`,
    );
    return documents;
  } catch (error) {
    if (error instanceof ApiRefusal && (error.status === 400 || error.status === 403)) return null;
    throw error;
  }
}

const briefly = ({ id, name, workspace, site }: FoundDocument) => ({
  id: String(id),
  name,
  workspace: workspace.name,
  site: site.name,
});

const TABLE_CODES = new Set(["table.not_found", "table.unknown"]);
const COLUMN_CODES = new Set(["column.not_found", "column.unknown"]);

/**
 * Runs requests about a table of a document. If the table or a column does not exist, the refusal lists the existing ones.
 */
export const inTable = <T>(
  api: Api,
  { document, table }: { document: string; table: string },
  run: (paths: { document: string; table: string }) => Promise<T>,
): Promise<T> =>
  inDocument(api, document, async (path) => {
    try {
      return await run({ document: path, table: `${path}/tables/${encodeURIComponent(table)}` });
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      if (TABLE_CODES.has(error.code)) throw await withTables(api, path, error);
      if (COLUMN_CODES.has(error.code)) throw await withColumns(api, path, { table, error });
      throw error;
    }
  });

interface ListedTable {
  readonly id: string;
  readonly columns?: readonly { readonly id: string; readonly fields: { readonly label: string } }[];
}

async function withTables(api: Api, path: string, error: ApiRefusal): Promise<Error> {
  const tables = await listTables(api, `${path}/tables`);
  if (!tables) return error;
  return new ToolRefusal(error.code, error.message, {
    next: "Pass one of details.tables as table; ids are case-sensitive.",
    details: { tables: tables.slice(0, MAX_COLUMNS).map(({ id }) => id) },
  });
}

async function withColumns(
  api: Api,
  path: string,
  { table, error }: { table: string; error: ApiRefusal },
): Promise<Error> {
  const tables = await listTables(api, `${path}/tables?expand=column`);
  const columns = tables?.find(({ id }) => id === table)?.columns;
  if (!columns) return error;
  return new ToolRefusal(error.code, error.message, {
    next: "Use the ids of columns in details.columns, not their labels.",
    details: { columns: columns.slice(0, MAX_COLUMNS).map(({ id, fields }) => ({ id, label: fields.label })) },
  });
}

/** Returns null if the key may not see the tables. */
async function listTables(api: Api, path: string): Promise<readonly ListedTable[] | null> {
  try {
    return (await api.get<{ tables: ListedTable[] }>(path)).tables;
  } catch (error) {
    if (error instanceof ApiRefusal) return null;
    throw error;
  }
}
