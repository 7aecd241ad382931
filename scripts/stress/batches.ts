import type { RunningServer } from "../running-server.ts";

/** Batches that are sent until the server is killed: each writes three tables, and none of it or all must exist. */

const CLIENTS = 3;
const MAX_ITEMS = 40;

/** Adds the tables of the batches. `Stock` has a row for each client, with the number of its last batch. */
export const ADD_BATCH_TABLES: readonly unknown[] = [
  [
    "AddTable",
    "Orders",
    [
      { id: "Number", type: "Int" },
      { id: "Client", type: "Int" },
    ],
  ],
  [
    "AddTable",
    "Items",
    [
      { id: "Order", type: "Ref:Orders" },
      { id: "Number", type: "Int" },
    ],
  ],
  ["AddTable", "Stock", [{ id: "Last", type: "Int" }]],
  ["AddColumn", "Orders", "Found", { type: "Any", isFormula: true, formula: "len(Items.lookupRecords(Order=$id))" }],
  ["BulkAddRecord", "Stock", Array.from({ length: CLIENTS }, (_, at) => at + 1), { Last: Array(CLIENTS).fill(0) }],
];

export const REMOVE_BATCH_TABLES: readonly unknown[] = ["Items", "Orders", "Stock"].map((table) => [
  "RemoveTable",
  table,
]);

/** What a client has sent: batches 1 to `sent`, one after the other, of which the first ones were answered. */
export interface ClientBatches {
  readonly client: number;
  sent: number;
  acknowledged: number;
}

const itemsOf = ({ client }: Pick<ClientBatches, "client">, n: number): number => 1 + ((n * 7 + client) % MAX_ITEMS);

/**
 * Sends batches until the server is killed.
 * @throws Error when one is refused
 */
export const sendBatches = (server: RunningServer, target: Target): Promise<ClientBatches[]> =>
  Promise.all(Array.from({ length: CLIENTS }, (_, at) => sendAsClient(server, target, at + 1)));

/** The path of a document, and the headers of a request in JSON. */
interface Target {
  readonly document: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function sendAsClient(
  { address }: RunningServer,
  { document, headers }: Target,
  client: number,
): Promise<ClientBatches> {
  const batches: ClientBatches = { client, sent: 0, acknowledged: 0 };
  for (;;) {
    const number = ++batches.sent;
    const items = Array.from({ length: itemsOf(batches, number) }, () => ({
      fields: { Order: { $ref: "order.ids.0" }, Number: number },
    }));
    const operations = [
      { op: "add", as: "order", table: "Orders", records: [{ fields: { Number: number, Client: client } }] },
      { op: "add", table: "Items", records: items },
      { op: "update", table: "Stock", records: [{ id: client, fields: { Last: number } }] },
    ];
    let response: Response;
    try {
      response = await fetch(`${address}${document}/batch`, {
        method: "POST",
        headers,
        body: JSON.stringify({ operations }),
      });
      await response.arrayBuffer();
    } catch {
      // The connection ended, because the server was killed.
      return batches;
    }
    if (response.status !== 200) throw new Error(`batch ${number} of client ${client}: ${response.status}`);
    batches.acknowledged = number;
  }
}

interface StoredOrder {
  readonly Client: number;
  readonly Number: number;
  readonly Found: number;
  readonly items: number;
}

/** Reads with SQL. */
type Query = <T>(sql: string) => Promise<readonly T[]>;

/** Returns the number of batches that were applied. @throws Error if one is missing, or was applied in part or twice */
export async function checkBatches(query: Query, clients: readonly ClientBatches[]): Promise<number> {
  const orders = await query<StoredOrder>(
    `select Client, Number, Found, (select count(*) from Items i where i."Order" = o.id and i.Number = o.Number) as items
     from Orders o order by Client, Number`,
  );
  const [strays] = await query<{ n: number }>(
    `select count(*) as n from Items where "Order" not in (select id from Orders)`,
  );
  if (strays?.n !== 0) throw new Error(`${strays?.n} items of batches without their order`);
  const stock = await query<{ id: number; Last: number }>("select id, Last from Stock");
  for (const batches of clients) {
    const { client, sent, acknowledged } = batches;
    const own = orders.filter((order) => order.Client === client);
    // Without an answer, the last one may exist.
    if (own.length !== acknowledged && own.length !== sent)
      throw new Error(`client ${client}: ${own.length} batches, of ${sent} sent and ${acknowledged} answered`);
    for (const [at, { Number: number, Found, items }] of own.entries()) {
      const expected = itemsOf(batches, number);
      if (number !== at + 1 || items !== expected || Found !== expected)
        throw new Error(`batch ${number} of client ${client}: ${items} items, ${Found} counted, of ${expected}`);
    }
    const last = stock.find(({ id }) => id === client)?.Last;
    if (last !== own.length) throw new Error(`client ${client}: Stock has batch ${last}, of ${own.length}`);
  }
  return orders.length;
}
