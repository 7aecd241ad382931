/** What the client does with a running server: the same checks in all runtimes, without a test framework. */
import { createClient, fromList, QuernError, ref, toList } from "quern-client";
import { liveChecks } from "./live-suite.ts";
import { type Check, equal, type Shop, type SuiteOptions, type SuiteResult } from "./suite-checks.ts";

async function refused(call: () => Promise<unknown>): Promise<QuernError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof QuernError) return error;
    throw error;
  }
  throw new Error("not refused");
}

export async function runSuite(options: SuiteOptions): Promise<SuiteResult[]> {
  const { url, key, doc: id } = options;
  const client = createClient<Shop>({ url, key });
  const doc = client.doc(id);
  const items = doc.table("Items");
  const orders = doc.table("Orders");

  /** A client that loses the answers to its first requests: the server has received them. */
  const losing = (lost: number) => {
    let sent = 0;
    const forgetful = createClient<Shop>({
      url,
      key,
      async fetch(address, init) {
        const response = await fetch(address, init);
        if (sent++ < lost) {
          await response.body?.cancel();
          throw new TypeError("the connection was lost");
        }
        return response;
      },
    });
    return { table: forgetful.doc(id).table("Items"), sent: () => sent };
  };

  const checks: readonly Check[] = [
    [
      "lists records by a filter, in order",
      async () => {
        const { records } = await items.list({ filter: { Category: ["Parts"] }, sort: "-Price", fields: ["Item"] });
        equal(
          records.map(({ fields }) => fields.Item),
          ["Chain", "Bell"],
        );
      },
    ],
    [
      "counts all records beside a page",
      async () => {
        const { records, total } = await items.list({ limit: 2, offset: 1, total: true, fields: ["Item"] });
        equal([records.map(({ fields }) => fields.Item), total], [["Basket", "Chain"], 5]);
      },
    ],
    [
      "sends a long filter as a body",
      async () => {
        const names = Array.from({ length: 500 }, (_, n) => `Item ${n}`);
        const { records } = await items.list({ filter: { Item: ["Bell", ...names] }, fields: ["Item"] });
        equal(records, [{ id: 1, fields: { Item: "Bell" } }]);
      },
    ],
    [
      "follows references in fields and expands them",
      async () => {
        const { fields } = await orders.get(1, { fields: ["Amount", "Customer.City"], expand: ["Item"] });
        equal([fields.Amount, fields["Customer.City"], fields.Item?.fields.Item], [2, "Bern", "Bell"]);
      },
    ],
    [
      "returns dates as ISO 8601",
      async () => {
        equal((await orders.get(1, { cellFormat: "iso", fields: ["Ordered"] })).fields, { Ordered: "2026-03-02" });
      },
    ],
    [
      "reads pages one after the other",
      async () => {
        const pages: (string | null)[][] = [];
        for await (const page of items.pages({ limit: 2, sort: "Item", fields: ["Item"] }))
          pages.push(page.map(({ fields }) => fields.Item));
        equal(pages, [["Basket", "Bell"], ["Chain", "Front light"], ["Pannier"]]);
      },
    ],
    [
      "creates, updates, upserts and deletes",
      async () => {
        const [first = 0, second = 0] = await items.create([{ Item: "Lock", Price: 30 }, { Item: "Pump" }]);
        await items.update([{ id: first, fields: { Price: 32 } }]);
        const { addRecordIds, recordIds } = await items.upsert([
          { require: { Item: "Pump" }, fields: { Price: 21 } },
          { require: { Item: "Saddle" }, fields: { Price: 29 } },
        ]);
        const added = addRecordIds[0] ?? 0;
        equal(recordIds, [[second], [added]]);
        const { records } = await items.list({ filter: { id: { gt: 5 } }, sort: "Item", fields: ["Item", "Price"] });
        equal(
          records.map(({ fields }) => [fields.Item, fields.Price]),
          [
            ["Lock", 32],
            ["Pump", 21],
            ["Saddle", 29],
          ],
        );
        await items.delete([first, second, added]);
        equal((await items.list({ filter: { id: { gt: 5 } } })).records, []);
      },
    ],
    [
      "returns what was written",
      async () => {
        const [created] = await orders.create([{ Item: 1, Amount: 3 }], { return: "records" });
        equal(created?.fields.Total, 37.5);
        const changed = await orders.update([{ id: created?.id ?? 0, fields: { Amount: 4 } }], { return: "ids" });
        equal(changed, [created?.id]);
        await orders.delete(changed);
      },
    ],
    [
      "updates and deletes by a filter",
      async () => {
        const ids = await items.create([{ Item: "Test 1" }, { Item: "Test 2" }]);
        const changed = await items.updateWhere({ Item: { startsWith: "Test" } }, { Quantity: 9 }, { return: "ids" });
        equal(changed, ids);
        const error = await refused(() => items.deleteWhere({ Quantity: [9] }, { maxRows: 1 }));
        equal([error.status, error.code, error.details["matchedRows"]], [413, "limit.matched_rows", 2]);
        await items.deleteWhere({ Item: { startsWith: "Test" } });
        equal((await items.list({ filter: { id: ids } })).records, []);
      },
    ],
    [
      "tries a change",
      async () => {
        const { tables } = await items.update([{ id: 1, fields: { Price: 9 } }], { dryrun: true });
        equal(tables[0]?.changed[0]?.before, { Price: 12.5 });
        const deleted = await items.deleteWhere({ Category: ["Bags"] }, { dryrun: true });
        equal(deleted.tables.find(({ table }) => table === "Items")?.rows.removed, 2);
        equal((await items.get(1)).fields.Price, 12.5);
      },
    ],
    [
      "writes several tables at once",
      async () => {
        const [customer, order] = await doc.batch([
          { op: "add", as: "customer", table: "Customers", records: [{ fields: { Name: "Dora", City: "Oslo" } }] },
          {
            op: "add",
            table: "Orders",
            records: [{ fields: { Customer: ref("customer.ids.0"), Item: 1, Amount: 1 } }],
          },
        ]);
        const [customerId, orderId] = [customer?.ids[0] ?? 0, order?.ids[0] ?? 0];
        equal((await orders.get(orderId, { fields: ["City"] })).fields.City, "Oslo");
        const report = await doc.batch([{ op: "delete", table: "Orders", ids: [orderId] }], { dryrun: true });
        equal(report.tables.find(({ table }) => table === "Orders")?.rows.removed, 1);
        await doc.batch([
          { op: "delete", table: "Orders", ids: [orderId] },
          { op: "delete", table: "Customers", ids: [customerId] },
        ]);
      },
    ],
    [
      "aggregates",
      async () => {
        const { groups, totals } = await items.aggregate({
          groupBy: ["Category"],
          measures: { n: "count", dearest: { max: "Price" } },
          sort: ["-n", "Category"],
          totals: true,
        });
        equal(groups[0], { Category: "Bags", n: 2, dearest: 58 });
        equal(totals, { n: 5, dearest: 58 });
      },
    ],
    [
      "runs SQL with parameters",
      async () => {
        const name = "B%' or 1=1 --";
        equal(await doc.sql`select Item from Items where Item like ${name}`, []);
        const rows = await doc.sql<{ Item: string }>`select Item from Items where Price > ${20} and Item like ${"B%"}`;
        equal(rows, [{ Item: "Basket" }]);
        equal((await refused(() => doc.sqlWith({ timeout: 1000 })`delete from Items`)).code, "sql.invalid");
      },
    ],
    [
      "uploads with progress, and downloads",
      async () => {
        const data = new Uint8Array(300_000).map((_, at) => at % 251);
        const progress: number[] = [];
        const [file = 0, named = 0] = await doc.attachments.upload(
          [
            { name: "large.bin", data },
            { name: 'a "b".txt', data: "text" },
          ],
          { onProgress: ({ sentBytes, totalBytes }) => progress.push(sentBytes / totalBytes) },
        );
        equal(progress.at(-1), 1);
        await items.update([{ id: 1, fields: { Files: toList([file, named]) } }]);
        equal(fromList((await items.get(1)).fields.Files), [file, named]);
        const content = new Uint8Array(await (await doc.attachments.download(file)).arrayBuffer());
        equal([content.length, content[250], content.every((byte, at) => byte === data[at])], [300_000, 250, true]);
        equal(await (await doc.attachments.download(named)).text(), "text");
        equal((await doc.attachments.info(file)).fileName, "large.bin");
        equal((await doc.attachments.upload([{ name: "b.txt", data: new Blob(["b"]) }])).length, 1);
        await items.update([{ id: 1, fields: { Files: null } }]);
      },
    ],
    [
      "reports refusals with their code",
      async () => {
        const missing = await refused(() => items.get(999));
        equal([missing.status, missing.code, missing.name], [404, "record.not_found", "QuernError"]);
        const table = await refused(() => client.doc<{ X: { A: { type: "Int" } } }>(id).table("X").list());
        equal([table.status, table.code], [404, "table.not_found"]);
        const wrong = createClient<Shop>({ url, key: "0".repeat(40) })
          .doc(id)
          .table("Items");
        equal((await refused(() => wrong.list())).status, 401);
      },
    ],
    [
      "repeats a write whose answer was lost, once",
      async () => {
        const { table, sent } = losing(2);
        const ids = await table.create([{ Item: "Repeated" }]);
        equal([ids.length, sent()], [1, 3]);
        const { records } = await items.list({ filter: { Item: ["Repeated"] } });
        equal(
          records.map((record) => record.id),
          ids,
        );
        await items.delete(ids);
      },
    ],
    [
      "does not repeat a write without a key",
      async () => {
        const { table, sent } = losing(1);
        const error = await refused(() => table.create([{ Item: "Unkeyed" }], { idempotencyKey: false }));
        equal([error.status, sent()], [0, 1]);
        await items.deleteWhere({ Item: ["Unkeyed"] });
      },
    ],
    [
      "ends a request by its signal",
      async () => {
        const reason = new Error("left the page");
        const ended = await items.list({ signal: AbortSignal.abort(reason) }).catch((error: unknown) => error);
        if (ended !== reason) throw new Error(String(ended));
        const controller = new AbortController();
        const upload = doc.attachments.upload([{ name: "x", data: new Uint8Array(2_000_000) }], {
          signal: controller.signal,
          onProgress: () => controller.abort(reason),
        });
        const cancelled = await upload.catch((error: unknown) => error);
        if (cancelled !== reason) throw new Error(String(cancelled));
      },
    ],
    [
      "sends other requests",
      async () => equal(typeof (await doc.request<{ name: unknown }>("GET", "")).name, "string"),
    ],
  ];
  const results: SuiteResult[] = [];
  for (const [name, run] of [...checks, ...liveChecks(options)]) {
    try {
      await run();
      results.push([name, null]);
    } catch (error) {
      results.push([name, error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error)]);
    }
  }
  return results;
}
