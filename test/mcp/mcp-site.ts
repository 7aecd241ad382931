/** A server with documents for tools, and official clients of both protocol versions for it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TestApp } from "../helpers/app.ts";

export const PROTOCOLS = ["2026-07-28", "2025-11-25"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The documents of the examples and tasks, by their ids. */
export interface McpSite {
  /** Tables Customers and Orders. */
  readonly stock: string;
  /** Its name. */
  readonly stockName: string;
  /** Two documents `Budget` in different workspaces. */
  readonly budgets: readonly [string, string];
}

/** Creates the documents as the owner; the editor and the viewer have their roles in the one about stock. */
export async function createMcpSite({ must }: Pick<TestApp, "must">, stockName = "Stock"): Promise<McpSite> {
  const work = await must<number>("POST", "/api/orgs/team/workspaces", { name: "Work" });
  const home = await must<number>("POST", "/api/orgs/team/workspaces", { name: "Private" });
  const stock = await must<string>("POST", `/api/workspaces/${work}/docs`, { name: stockName });
  const budgets = [
    await must<string>("POST", `/api/workspaces/${work}/docs`, { name: "Budget" }),
    await must<string>("POST", `/api/workspaces/${home}/docs`, { name: "Budget" }),
  ] as const;
  await must("POST", `/api/docs/${stock}/tables`, {
    tables: [
      { id: "Customers", columns: [text("Name"), text("City")] },
      {
        id: "Orders",
        columns: [
          text("Item"),
          { id: "Qty", fields: { label: "Quantity", type: "Int" } },
          { id: "Customer", fields: { type: "Ref:Customers" } },
          { id: "Ordered", fields: { type: "Date" } },
          { id: "Status", fields: { type: "Choice", widgetOptions: '{"choices":["open","sent"]}' } },
          { id: "Double", fields: { type: "Int", isFormula: true, formula: "$Qty * 2" } },
        ],
      },
    ],
  });
  await must("POST", `/api/docs/${stock}/tables/Customers/records`, {
    records: [{ fields: { Name: "Acme", City: "Oslo" } }, { fields: { Name: "Bolt", City: "Rome" } }],
  });
  await must("POST", `/api/docs/${stock}/tables/Orders/records`, {
    records: [
      { fields: { Item: "Rice", Qty: 5, Customer: 1, Ordered: "2026-04-01", Status: "open" } },
      { fields: { Item: "Salt", Qty: 2, Customer: 2, Ordered: "2026-04-02", Status: "sent" } },
      { fields: { Item: "Rice", Qty: 7, Customer: 2, Ordered: "2026-04-03", Status: "open" } },
    ],
  });
  const users = { "Emil@example.com": "editors", "vito@example.com": "viewers" };
  await must("PATCH", `/api/docs/${stock}/access`, { delta: { users } });
  return { stock, stockName, budgets };
}

const text = (id: string) => ({ id, fields: { type: "Text" } });

export interface ClientOptions {
  readonly protocol: Protocol;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Connects to a server within this process. */
export const connectTo = ({ app }: Pick<TestApp, "app">, options: ClientOptions): Promise<Client> =>
  connect("http://quern.test/mcp", { ...options, send: (request) => app.handle(request) });

/** Connects to `/mcp` at an address. */
export async function connect(
  address: string,
  { protocol, key, headers, send }: ClientOptions & { send?: (request: Request) => Promise<Response> },
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, clientOptions(protocol));
  const transport = new StreamableHTTPClientTransport(new URL(address), {
    requestInit: { headers: { Authorization: `Bearer ${key}`, ...(send && { Host: "quern.test" }), ...headers } },
    ...(send && { fetch: (url, init) => send(new Request(String(url), init)) }),
  });
  await client.connect(transport);
  return client;
}

/** The options by which a client speaks only the given version. */
export const clientOptions = (protocol: Protocol) =>
  protocol === "2025-11-25" ? {} : { versionNegotiation: { mode: { pin: protocol } } };

/** The parts of a tool's result that tests compare. */
export interface ToolAnswer {
  readonly isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access results freely
  readonly result: any;
  /** The same as text. */
  readonly text: string;
}

/** Calls a tool. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
  const answer = await client.callTool({ name, arguments: args });
  const [content] = answer.content;
  return {
    isError: answer.isError === true,
    result: answer.structuredContent,
    text: content?.type === "text" ? content.text : "",
  };
}
