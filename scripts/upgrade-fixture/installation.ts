/** A small installation with one of everything that an upgrade has to carry over. */
import type { FormerServer } from "./former-server.ts";

export const PEOPLE = {
  admin: { email: "ada@example.com", name: "Ada Admin" },
  editor: { email: "Emil@example.com", name: "Emil Editor" },
  viewer: { email: "vito@example.com", name: "Vito Viewer" },
  stranger: { email: "stan@example.com", name: "Stan Stranger" },
} as const;

export type Person = keyof typeof PEOPLE;
export const PASSWORD = "correct horse battery";

/** The answer of the earlier version to a request. */
export interface RecordedAnswer {
  /** A person, `service` (a service account), `session` (a browser of the admin) or `anon`. */
  readonly as: string;
  readonly path: string;
  readonly status: number;
  /** JSON, or the SHA-256 of other content. */
  readonly body: unknown;
}

export interface Installation {
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Keys by person, and of the service account. */
  readonly keys: Readonly<Record<string, string>>;
  /** The session cookie of the admin's browser. */
  readonly cookie: string;
  readonly workspaceId: number;
  readonly trashedWorkspaceId: number;
  /** UUIDs by name. */
  readonly documents: Readonly<Record<"orders" | "notes" | "trashed", string>>;
  readonly webhookId: string;
  readonly answers: readonly RecordedAnswer[];
}

/** Creates the installation through commands and the API of a server on an empty folder. */
export async function createInstallation(server: FormerServer): Promise<Installation> {
  const keys: Record<string, string> = {};
  for (const [person, { email, name }] of Object.entries(PEOPLE)) {
    await server.command("user", "add", "--email", email, "--name", name, ...(person === "admin" ? ["--admin"] : []));
    keys[person] = await server.command("key", "create", "--email", email);
  }
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const isForm = body instanceof FormData;
    const headers = {
      Authorization: `Bearer ${keys["admin"]}`,
      ...(isForm ? { "X-Requested-With": "XMLHttpRequest" } : { "Content-Type": "application/json" }),
    };
    const response = await fetch(server.address + path, {
      method,
      headers,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const site = await createSite(call);
  const orders = await createOrders(call, site.workspaceId);
  const others = await createOtherDocuments(call, site.workspaceId);
  keys["service"] = await createServiceAccount(call, orders.document);
  const cookie = await signIn(server);
  return {
    createdAtMs: Date.now(),
    keys,
    cookie,
    ...site,
    documents: { orders: orders.document, ...others },
    webhookId: orders.webhookId,
    answers: [],
  };
}

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

async function createSite(call: Call): Promise<{ workspaceId: number; trashedWorkspaceId: number }> {
  await call("POST", "/o/docs/api/orgs", { name: "Tea Traders", domain: "tea" });
  const workspaceId = await call<number>("POST", "/o/tea/api/orgs/tea/workspaces", { name: "Sales" });
  const trashedWorkspaceId = await call<number>("POST", "/o/tea/api/orgs/tea/workspaces", { name: "Former" });
  await call("POST", `/o/tea/api/workspaces/${trashedWorkspaceId}/docs`, { name: "Inside" });
  await call("POST", `/o/tea/api/workspaces/${trashedWorkspaceId}/remove`);
  await call("PATCH", "/o/tea/api/orgs/tea/access", { delta: { users: { [PEOPLE.viewer.email]: "viewers" } } });
  await call("PATCH", "/o/tea/api/orgs/tea", {
    userPrefs: { theme: { appearance: "dark" } },
    userOrgPrefs: { docMenuSort: "name" },
  });
  return { workspaceId, trashedWorkspaceId };
}

const ORDER_COLUMNS = [
  { id: "Customer", fields: { type: "Ref:Customers" } },
  { id: "Ordered", fields: { type: "Date" } },
  { id: "Price", fields: { type: "Numeric" } },
  { id: "Amount", fields: { type: "Int" } },
  { id: "Total", fields: { type: "Numeric", isFormula: true, formula: "$Price * $Amount" } },
  { id: "Rank", fields: { isFormula: true, formula: "len(Orders.lookupRecords(Customer=$Customer))" } },
  { id: "Broken", fields: { isFormula: true, formula: "1 / ($Amount - 2)" } },
  { id: "Margin", fields: { type: "Numeric" } },
  { id: "Invoice", fields: { type: "Attachments" } },
];

async function createOrders(call: Call, workspaceId: number): Promise<{ document: string; webhookId: string }> {
  const document = await call<string>("POST", `/o/tea/api/workspaces/${workspaceId}/docs`, {
    name: "Orders",
    urlId: "orders",
  });
  const doc = `/o/tea/api/docs/${document}`;
  await call("POST", `${doc}/tables`, {
    tables: [
      {
        id: "Customers",
        columns: [
          { id: "Name", fields: { type: "Text" } },
          { id: "Tags", fields: { type: "ChoiceList" } },
          { id: "Since", fields: { type: "DateTime:Europe/Vienna" } },
        ],
      },
      { id: "Orders", columns: ORDER_COLUMNS },
    ],
  });
  await call("POST", `${doc}/tables/Customers/records`, {
    records: [
      { fields: { Name: "Björk & Söhne", Tags: ["L", "wholesale", "vip"], Since: 1_700_000_000 } },
      { fields: { Name: "茶屋", Tags: ["L", "retail"], Since: "unknown" } },
    ],
  });
  const webhookId = await createWebhook(call, doc);
  await call("POST", `${doc}/tables/Orders/records`, {
    records: Array.from({ length: 40 }, (_, at) => ({
      fields: {
        Customer: 1 + (at % 2),
        Ordered: 1_760_000_000 + at * 86_400,
        Price: at / 4,
        Amount: at,
        Margin: at % 7,
      },
    })),
  });
  await call("PATCH", `${doc}/tables/Orders/records`, { records: [{ id: 5, fields: { Amount: 99 } }] });
  await call("POST", `${doc}/tables/Orders/data/delete`, [40]);
  await createSummary(call, doc);
  await attach(call, doc);
  await call("POST", `${doc}/apply`, ordersRules());
  await call("PATCH", `${doc}/access`, { delta: { users: { [PEOPLE.editor.email]: "editors" } } });
  await call("PATCH", `${doc}/pin`);
  const { states } = await call<{ states: { h: string }[] }>("GET", `${doc}/states`);
  if (states.length < 8) throw new Error(`only ${states.length} states`);
  return { document, webhookId };
}

/** Creates a webhook whose receiver does not listen, so that its events stay queued. */
async function createWebhook(call: Call, doc: string): Promise<string> {
  const fields = {
    name: "ERP",
    url: "http://127.0.0.1:9/orders",
    tableId: "Orders",
    eventTypes: ["add", "update"],
    enabled: true,
  };
  const { webhooks } = await call<{ webhooks: { id: string }[] }>("POST", `${doc}/webhooks`, {
    webhooks: [{ fields }],
  });
  return webhooks[0]?.id ?? "";
}

/** Creates a summary of the orders by customer. */
async function createSummary(call: Call, doc: string): Promise<void> {
  interface Rows {
    records: { id: number; fields: Record<string, unknown> }[];
  }
  const tables = await call<Rows>("GET", `${doc}/tables/_grist_Tables/records`);
  const columns = await call<Rows>("GET", `${doc}/tables/_grist_Tables_column/records`);
  const table = tables.records.find(({ fields }) => fields["tableId"] === "Orders")?.id;
  const customer = columns.records.find(
    ({ fields }) => fields["colId"] === "Customer" && fields["parentId"] === table,
  )?.id;
  await call("POST", `${doc}/apply`, [["CreateViewSection", table, 0, "record", [customer], null]]);
}

/** Attaches a text that fits into the document's file, and an image that is stored beside it. */
async function attach(call: Call, doc: string): Promise<void> {
  const form = new FormData();
  form.append("upload", new File(["Invoice 1\n"], "invoice-1.txt", { type: "text/plain" }));
  form.append("upload", new File([new Uint8Array(5000).map((_, at) => at * 7)], "scan.bin"));
  const ids = await call<number[]>("POST", `${doc}/attachments`, form);
  await call("PATCH", `${doc}/tables/Orders/records`, { records: [{ id: 1, fields: { Invoice: ["L", ...ids] } }] });
}

/** Only owners read the margins, and editors change only rows with a small amount. */
function ordersRules(): unknown[] {
  const rule = (resource: number, aclFormula: string, permissionsText: string) => [
    "AddRecord",
    "_grist_ACLRules",
    null,
    { resource, aclFormula, permissionsText },
  ];
  return [
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "Margin" }],
    ["AddRecord", "_grist_ACLResources", -2, { tableId: "Orders", colIds: "*" }],
    rule(-1, "user.Access != OWNER", "none"),
    rule(-2, "user.Access != OWNER and rec.Amount > 50", "-U"),
  ];
}

async function createOtherDocuments(call: Call, workspaceId: number): Promise<{ notes: string; trashed: string }> {
  const create = (name: string) => call<string>("POST", `/o/tea/api/workspaces/${workspaceId}/docs`, { name });
  const notes = await create("Notes");
  const api = `/o/tea/api/docs/${notes}`;
  await call("POST", `${api}/tables/Table1/records`, { records: [{ fields: { A: "first" } }] });
  await call("PATCH", `${api}/access`, { delta: { users: { "everyone@getgrist.com": "viewers" } } });
  // Leaves a snapshot of the replaced content.
  const copy = await create("Replacement");
  await call("POST", `/o/tea/api/docs/${copy}/tables/Table1/records`, { records: [{ fields: { A: "second" } }] });
  await call("POST", `${api}/replace`, { sourceDocId: copy });
  await call("DELETE", `/o/tea/api/docs/${copy}`);
  const trashed = await create("Discarded");
  await call("POST", `/o/tea/api/docs/${trashed}/tables/Table1/records`, { records: [{ fields: { A: "kept" } }] });
  await call("POST", `/o/tea/api/docs/${trashed}/remove`);
  return { notes, trashed };
}

/** Creates a service account that may read the orders; returns its key. */
async function createServiceAccount(call: Call, document: string): Promise<string> {
  interface Account {
    login: string;
    key: string;
  }
  const expiresAt = "2099-01-01T00:00:00.000Z";
  const { login, key } = await call<Account>("POST", "/api/service-accounts", { label: "Reports", expiresAt });
  await call("PATCH", `/o/tea/api/docs/${document}/access`, { delta: { users: { [login]: "viewers" } } });
  return key;
}

/** Gives the admin a password and signs in as a browser does; returns the cookie. */
async function signIn(server: FormerServer): Promise<string> {
  const reset = await server.command("user", "reset", "--email", PEOPLE.admin.email, "--public-url", server.address);
  const token = new URL(reset).searchParams.get("token") ?? "";
  const post = (path: string, fields: Record<string, string>) =>
    fetch(server.address + path, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: server.address },
      body: new URLSearchParams(fields).toString(),
      redirect: "manual",
    });
  const done = await post("/reset-password", { token, password: PASSWORD });
  const cookie = done.headers.get("Set-Cookie") ?? "";
  if (cookie === "") throw new Error(`no session: ${done.status} ${await done.text()}`);
  return cookie.split(";")[0] ?? "";
}
