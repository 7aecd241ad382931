/** A document with a table of many rows and 20 columns, which all users may view, and a copy in which access rules hide a tenth of its rows. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { EXECUTABLE, startServer } from "../../running-server.ts";
import { createApi } from "../../stress/load/api.ts";

export interface PagesFolder {
  /** The data folder. */
  readonly data: string;
  /** UUID of the document without rules. */
  readonly open: string;
  /** UUID of the document whose rules hide rows from viewers. */
  readonly restricted: string;
}

/** Values of the column that rows are grouped by. */
export const GROUPS = 1000;
const STATES = ["New", "Paid", "Packed", "Shipped", "Returned"];
const CITIES = ["Oslo", "Lyon", "Graz", "Bremen", "Porto", "Gdańsk", "Malmö", "Turku"];
const WORDS = ["door", "garden", "winter", "bicycle", "lamp", "paper", "harbour", "violin", "stone", "window"];
const FIRST_DAY_S = 1_672_531_200;
const DAY_S = 86_400;

interface BenchColumn {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly valueOf: (id: number) => string | number | null;
}

const number = (id: string, type: string, valueOf: BenchColumn["valueOf"]): BenchColumn => ({
  id,
  fields: { type },
  valueOf,
});
const word = (id: number, step: number): string => WORDS[(id * step) % WORDS.length] ?? "";
const quantityOf = (id: number): number => (id * 6151) % 100;
const priceOf = (id: number): number => ((id * 7919) % 100_000) / 100;

/** Six texts, two formulas, numbers, dates, choices and check boxes. */
export const COLUMNS: readonly BenchColumn[] = [
  number("Number", "Text", (id) => `2026-${String(id).padStart(7, "0")}`),
  number("Customer", "Text", (id) => `Customer ${(id * 7919) % GROUPS}`),
  number("City", "Text", (id) => CITIES[(id * 31) % CITIES.length] ?? ""),
  number("Item", "Text", (id) => `${word(id, 7)} ${word(id, 13)} ${id % 997}`),
  number("Notes", "Text", (id) => `Leave ${word(id, 3)} at the ${word(id, 11)} of house ${id % 5003}`),
  number("Code", "Text", (id) => `c${((id * 48_271) % 2_147_483_647).toString(36)}`),
  number("Quantity", "Int", quantityOf),
  number("Weight", "Int", (id) => (id * 104_729) % 10_000),
  number("Year", "Int", (id) => 2000 + (id % 26)),
  number("Price", "Numeric", priceOf),
  number("Discount", "Numeric", (id) => (id % 40) / 100),
  number("Cost", "Numeric", (id) => ((id * 15_485_863) % 1_000_000) / 1000),
  number("Ordered", "Date", (id) => FIRST_DAY_S + (id % 1400) * DAY_S),
  number("Shipped", "Date", (id) => (id % 9 === 0 ? null : FIRST_DAY_S + ((id % 1400) + 3) * DAY_S)),
  number("Changed", "DateTime:UTC", (id) => FIRST_DAY_S + id * 60),
  number("Paid", "Bool", (id) => (id % 3 === 0 ? 1 : 0)),
  {
    id: "Status",
    fields: { type: "Choice", widgetOptions: JSON.stringify({ choices: STATES }) },
    valueOf: (id) => STATES[(id * 17) % STATES.length] ?? "",
  },
  number("Part", "Int", (id) => id % 10),
  {
    id: "Total",
    fields: { type: "Numeric", isFormula: true, formula: "$Quantity * $Price" },
    valueOf: (id) => quantityOf(id) * priceOf(id),
  },
  {
    id: "Label",
    fields: { type: "Text", isFormula: true, formula: "$Number + ' ' + $City" },
    valueOf: (id) => `2026-${String(id).padStart(7, "0")} ${CITIES[(id * 31) % CITIES.length]}`,
  },
];

/** Makes the documents through the API and fills their tables directly in SQLite while no server runs, which is faster. */
export async function makeDocuments(folder: string, rows: number): Promise<PagesFolder> {
  const data = join(folder, "data");
  const [open, restricted] = await withServer(data, async (api) => {
    const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Pages" });
    const make = async (name: string): Promise<string> => {
      const doc = await api.send<string>("POST", `/workspaces/${workspace}/docs`, { name });
      const columns = COLUMNS.map(({ id, fields }) => ({ id, fields: { label: id, ...fields } }));
      await api.send("POST", `/docs/${doc}/tables`, { tables: [{ id: "Orders", columns }] });
      await api.send("PATCH", `/docs/${doc}/access`, { delta: { users: { "everyone@getgrist.com": "viewers" } } });
      return doc;
    };
    const made = [await make("Orders"), await make("Orders with rules")] as const;
    await hideRows(api, made[1]);
    return made;
  });
  for (const doc of [open, restricted]) fill(join(data, "docs", doc, "document.grist"), rows);
  return { data, open, restricted };
}

/** A rule by which viewers do not see one row in ten. */
async function hideRows(api: ReturnType<typeof createApi>, doc: string): Promise<void> {
  await api.send("POST", `/docs/${doc}/apply`, [
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "*" }],
    [
      "AddRecord",
      "_grist_ACLRules",
      null,
      { resource: -1, aclFormula: "user.Access == VIEWER and rec.Part == 7", permissionsText: "-R", rulePos: 1 },
    ],
  ]);
}

async function withServer<T>(data: string, work: (api: ReturnType<typeof createApi>) => Promise<T>): Promise<T> {
  await using server = await startServer({ executable: [EXECUTABLE], settings: { QUERN_DATA: data } });
  await server.command("user", "add", "--email", "bench@example.com", "--name", "Bench");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "bench@example.com");
  return await work(createApi(server.address, key));
}

function fill(file: string, rows: number): void {
  using db = new Database(file);
  const names = ["id", "manualSort", ...COLUMNS.map(({ id }) => id)];
  const insert = db.prepare(`insert into Orders (${names.join(",")}) values (${names.map(() => "?").join(",")})`);
  db.transaction(() => {
    for (let id = 1; id <= rows; id++) insert.run(id, id, ...COLUMNS.map(({ valueOf }) => valueOf(id)));
  })();
}
