/** The document of the random walk: tables with every kind of column, hostile names, access rules and files. */
import type { App } from "../../../src/app.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { createKey } from "../../../src/services/accounts/keys.ts";
import { addUser } from "../../../src/services/accounts/users.ts";
import { addingRules } from "../../doc/rules/ruled.ts";
import { Random } from "../../helpers/random.ts";
import { HOSTILE, HOSTILE_NAME } from "../hostile.ts";

export const ROLES = ["owners", "editors", "viewers"] as const;
export type Role = (typeof ROLES)[number];

/** Calls the API. */
export type Call = <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;

export interface WalkSample {
  /** Email address of the person who walks. */
  readonly email: string;
  readonly isAdmin: boolean;
  readonly docId: string;
  readonly workspaceId: number;
  /** Calls the API as another owner of the document. */
  readonly colleague: Call;
}

const TEXT = { type: "Text" };
const CHOICES = { choices: ["New", "Shipped", HOSTILE_NAME, "W".repeat(60), "مرحبا"] };
const options = (value: unknown) => ({ widgetOptions: JSON.stringify(value) });

const CUSTOMERS = [
  { id: "Name", fields: TEXT },
  { id: "City", fields: TEXT },
  { id: "Notes", fields: { ...TEXT, ...options({ wrap: true }), label: HOSTILE_NAME } },
];

const ORDERS = [
  { id: "Order_no", fields: { ...TEXT, label: "Order no" } },
  { id: "Customer", fields: { type: "Ref:Customers" } },
  { id: "Status", fields: { type: "Choice", ...options(CHOICES) } },
  { id: "Ordered", fields: { type: "Date", ...options({ dateFormat: "DD MMM YYYY" }) } },
  { id: "Quantity", fields: { type: "Int" } },
  { id: "Price", fields: { type: "Numeric", ...options({ numMode: "currency", currency: "EUR" }) } },
  { id: "Paid", fields: { type: "Bool" } },
  { id: "Tags", fields: { type: "ChoiceList", ...options(CHOICES) } },
  { id: "Others", fields: { type: "RefList:Customers", label: `W${"w".repeat(120)}` } },
  { id: "Packed", fields: { type: "DateTime:Europe/Berlin", label: "مرحبا" } },
  { id: "Files", fields: { type: "Attachments" } },
  { id: "Anything", fields: { type: "Any" } },
  { id: "Secret", fields: { ...TEXT, label: "Secret" } },
  { id: "Total", fields: { type: "Numeric", isFormula: true, formula: "$Quantity * $Price" } },
  { id: "Each", fields: { type: "Numeric", isFormula: true, formula: "$Price / $Quantity" } },
];

const ORDER_COUNT = 120;
const DAY_S = 86_400;

const callWith =
  (address: string, key: string): Call =>
  async <T>(method: string, path: string, body?: unknown) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
    if (!(body instanceof FormData)) headers["Content-Type"] = "application/json";
    const content = body instanceof FormData ? body : JSON.stringify(body);
    const response = await fetch(`${address}/api${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: content }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };

/** Creates a document of a new user, and another user who has a role on it. */
export async function makeWalkSample(app: App, address: string, role: Role, seed: number): Promise<WalkSample> {
  const { ctx } = app;
  const random = new Random(seed);
  const email = `walker${seed}@example.com`;
  const owner = `colleague${seed}@example.com`;
  const isAdmin = role === "owners";
  await addUser(ctx, { email, name: `Walker ${HOSTILE_NAME}`, isAdmin });
  await addUser(ctx, { email: owner, name: "Colleague" });
  const call = callWith(address, createKey(ctx, guardSignedIn(actorForCommand(ctx, owner)), { label: "Sample" }));
  const [home] = await call<{ id: number }[]>("GET", "/orgs/current/workspaces");
  const workspaceId = home?.id ?? 0;
  await call("PATCH", `/workspaces/${workspaceId}/access`, { delta: { users: { [email]: role } } });
  await call("POST", `/workspaces/${workspaceId}/docs`, { name: HOSTILE_NAME });
  const docId = await call<string>("POST", `/workspaces/${workspaceId}/docs`, { name: "Bicycle shop orders of 2026" });
  await fill(call, docId, random);
  await call("PATCH", `/docs/${docId}/access`, { delta: { users: { [email]: role } } });
  return { email, isAdmin, docId, workspaceId, colleague: call };
}

async function fill(call: Call, docId: string, random: Random): Promise<void> {
  const doc = `/docs/${docId}`;
  const tables = [
    { id: "Customers", columns: CUSTOMERS },
    { id: "Orders", columns: ORDERS },
    { id: "Empty", columns: [{ id: "A", fields: TEXT }] },
  ];
  await call("POST", `${doc}/tables`, { tables });
  const customers = HOSTILE.map((Name) => ({ fields: { Name, City: random.pick(["Berlin", "Lyon"]), Notes: Name } }));
  await call("POST", `${doc}/tables/Customers/records`, { records: customers });
  const upload = new FormData();
  for (const name of ["Invoice.pdf", "Photo.png"]) upload.append("upload", new File(["content"], name));
  const files = await call<number[]>("POST", `${doc}/attachments`, upload);
  const records = Array.from({ length: ORDER_COUNT }, (_, at) => ({ fields: order(at, files, random) }));
  await call("POST", `${doc}/tables/Orders/records`, { records });
  await summarize(call, docId);
  const rules = addingRules({
    "Orders:Secret": [{ formula: "user.Access != OWNER", permissions: "-RU" }],
    "Orders:*": [{ formula: "user.Access == VIEWER and rec.Quantity == 3", permissions: "-R" }],
  });
  await call("POST", `${doc}/apply`, [["RemoveTable", "Table1"], ...rules]);
}

function order(at: number, files: readonly number[], random: Random): Record<string, unknown> {
  const customer = 1 + random.below(HOSTILE.length);
  return {
    Order_no: `2026-${String(at).padStart(5, "0")}`,
    Customer: random.oneIn(8) ? "Unknown person" : customer,
    Status: random.pick(CHOICES.choices),
    Ordered: random.oneIn(10) ? "soon" : DAY_S * (20_000 + at),
    Quantity: random.below(5),
    Price: random.below(10_000) / 100,
    Paid: random.oneIn(2),
    Tags: ["L", ...random.some(CHOICES.choices, 2)],
    Others: ["L", customer],
    Packed: DAY_S * (20_000 + at) + 3600,
    Files: random.oneIn(4) ? ["L", ...files] : null,
    Anything: random.pick([HOSTILE_NAME, "1", "text"]),
    Secret: "for owners",
  };
}

/** Adds a summary of the orders by status. */
async function summarize(call: Call, docId: string): Promise<void> {
  type Listed<F> = { id: string; fields: F }[];
  const { tables } = await call<{ tables: Listed<{ tableRef: number }> }>("GET", `/docs/${docId}/tables`);
  const columns = await call<{ columns: Listed<{ colRef: number }> }>("GET", `/docs/${docId}/tables/Orders/columns`);
  const table = tables.find(({ id }) => id === "Orders")?.fields.tableRef;
  const group = columns.columns.find(({ id }) => id === "Status")?.fields.colRef;
  await call("POST", `/docs/${docId}/apply`, [["CreateViewSection", table, 0, "record", [group], null]]);
}
