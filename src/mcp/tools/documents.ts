/** Tools that find documents and rows, and describe documents. */
import { z } from "zod";
import { type Api, queryOf } from "../api.ts";
import { inDocument } from "../resolve.ts";
import { cutList, cutTexts, MAX_RESULT_CHARACTERS } from "../results.ts";
import { READ_ONLY, tool, ToolRefusal } from "../tool.ts";
import * as common from "./arguments.ts";

interface FoundDocument {
  readonly id: string | number;
  readonly name: string;
  readonly access: string | null;
  readonly updatedAt: string;
  readonly workspace: { readonly name: string };
  readonly site: { readonly name: string };
}

interface Site {
  readonly id: number;
  readonly name: string;
}

interface Workspace {
  readonly name: string;
  readonly docs: readonly Omit<FoundDocument, "workspace" | "site">[];
}

const MAX_SITES = 20;

const describeFound = ({ id, name, access, updatedAt, workspace, site }: FoundDocument) => ({
  id: String(id),
  name,
  access,
  updatedAt,
  workspace: workspace.name,
  site: site.name,
});

export const findDocuments = tool({
  name: "find_documents",
  title: "Find documents",
  description: "Lists the documents that the key reaches, or finds them by words of their names.",
  scopes: ["documents:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    query: z.string().min(1).max(200).optional().describe("Words of the name; default: all documents"),
    limit: z.int().min(1).max(100).default(50),
  }),
  output: z.object({
    documents: common.objects("id, name, access (owners, editors, viewers), updatedAt, workspace, site"),
    more: common.more,
  }),
  example: { query: "stock" },
  async run(api, { query, limit }) {
    const found = await (query === undefined ? listDocuments(api) : searchDocuments(api, query));
    const { items, isCut } = cutList(found.slice(0, limit).map(describeFound));
    const isComplete = !isCut && found.length <= limit;
    return { documents: items, ...(!isComplete && { more: "Pass query, or a higher limit." }) };
  },
});

async function searchDocuments(api: Api, query: string): Promise<readonly FoundDocument[]> {
  const { documents } = await api.get<{ documents: FoundDocument[] }>(
    `/api/search${queryOf({ q: query, limit: 100 })}`,
  );
  return documents;
}

/** Lists the newest documents first. */
async function listDocuments(api: Api): Promise<readonly FoundDocument[]> {
  const sites = await api.get<Site[]>("/api/orgs");
  const found: FoundDocument[] = [];
  for (const site of sites.slice(0, MAX_SITES)) {
    for (const { docs, ...workspace } of await api.get<Workspace[]>(`/api/orgs/${site.id}/workspaces`))
      found.push(...docs.map((each) => ({ ...each, workspace, site })));
  }
  return found.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

export const searchRows = tool({
  name: "search_rows",
  title: "Search rows",
  description:
    "Finds rows of a document that contain all words, in any table: in texts, references, numbers and dates as shown. For exact conditions use query_records.",
  scopes: ["records:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    document: common.document,
    query: z.string().min(1).max(200).describe("Words"),
    limit: z.int().min(1).max(100).default(20),
  }),
  output: z.object({
    results: common.objects(
      "table, row (its id), column, label (the first text of the row), excerpt, score; best first",
    ),
    more: common.more,
  }),
  example: { document: "Stock", query: "rice" },
  run: (api, { document, query, limit }) =>
    inDocument(api, document, async (path) => {
      const { results, isComplete } = await api.get<{ results: Record<string, unknown>[]; isComplete: boolean }>(
        `${path}/search${queryOf({ q: query, limit })}`,
      );
      const { items, isCut } = cutList(results);
      const hasMore = isCut || !isComplete || results.length === limit;
      return {
        results: items,
        ...(hasMore && { more: "There may be more: use more specific words or a higher limit." }),
      };
    }),
});

interface ColumnFields {
  readonly label: string;
  readonly type: string;
  readonly isFormula: boolean;
  readonly formula: string;
  readonly description: string;
  readonly widgetOptions: string;
}

interface ListedTable {
  readonly id: string;
  readonly fields: { readonly summarySourceTable: number };
  readonly columns?: readonly { readonly id: string; readonly fields: ColumnFields }[];
}

interface DescribedDocument {
  readonly id: string | number;
  readonly name: string;
  readonly access: string | null;
  readonly updatedAt: string;
}

/** Tables of large documents are listed without columns. */
const MAX_FORMULA_CHARACTERS = 1000;

export const describeDocument = tool({
  name: "describe_document",
  title: "Describe a document",
  description:
    "Returns tables and columns of a document with types, labels, choices and formulas, and what the key may do. Call it before you query or change a document.",
  scopes: ["documents:read", "schema:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    document: common.document,
    table: common.table.optional().describe("Only this table"),
  }),
  output: z.object({
    document: z.looseObject({}).describe("id, name, role of the key's user, scopes (null: all)"),
    tables: common.objects("id, isSummary, columns: id, label, type, formula, isFormula, choices, description"),
    more: common.more,
  }),
  example: { document: "Stock", table: "Orders" },
  run: (api, { document, table }) =>
    inDocument(api, document, async (path) => {
      const { id, name, access, updatedAt } = await api.get<DescribedDocument>(path);
      const { tables } = await api.get<{ tables: ListedTable[] }>(`${path}/tables?expand=column`);
      const chosen = table === undefined ? tables : tables.filter((each) => each.id === table);
      const described = chosen.map(describeTable);
      const facts = { id: String(id), name, role: access, scopes: api.key.scopes, updatedAt };
      if (table !== undefined && chosen.length === 0) {
        throw new ToolRefusal("table.not_found", "The document has no such table, or access rules hide it", {
          next: "Pass one of details.tables as table; ids are case-sensitive.",
          details: { tables: tables.map((each) => each.id) },
        });
      }
      if (JSON.stringify(described).length <= MAX_RESULT_CHARACTERS) return { document: facts, tables: described };
      if (table !== undefined)
        return { document: facts, tables: cutColumns(described), more: "Some columns are left out." };
      const { items, isCut } = cutList(tables.map((each) => ({ id: each.id, columnCount: each.columns?.length ?? 0 })));
      const hint = "The document is large: pass table for the columns of a table.";
      return {
        document: facts,
        tables: items,
        more: isCut ? `${hint} Some tables are left out; use search_rows.` : hint,
      };
    }),
});

type DescribedTable = ReturnType<typeof describeTable>;

const cutColumns = (tables: readonly DescribedTable[]): DescribedTable[] =>
  tables.map((each) => ({ ...each, columns: cutList(each.columns).items }));

const describeTable = ({ id, fields, columns = [] }: ListedTable) => ({
  id,
  ...(fields.summarySourceTable !== 0 && { isSummary: true }),
  columns: columns.map(describeColumn),
});

function describeColumn({ id, fields }: NonNullable<ListedTable["columns"]>[number]) {
  const { label, type, isFormula, formula, description } = fields;
  const choices = choicesOf(fields);
  return cutTexts(
    {
      id,
      label,
      type,
      ...(formula !== "" && { isFormula, formula }),
      ...(description !== "" && { description }),
      ...(choices && { choices }),
    },
    MAX_FORMULA_CHARACTERS,
  );
}

const MAX_CHOICES = 100;

function choicesOf({ widgetOptions }: ColumnFields): readonly unknown[] | undefined {
  try {
    const { choices } = JSON.parse(widgetOptions) as { choices?: unknown };
    return Array.isArray(choices) ? choices.slice(0, MAX_CHOICES) : undefined;
  } catch {
    return undefined;
  }
}
