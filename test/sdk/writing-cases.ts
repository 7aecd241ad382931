/** Uses of the client as statements of an async function, correct and wrong ones. Each cell is filled. */
export const WRITING_CASES: readonly (readonly [feature: string, correct: string, wrong: string])[] = [
  [
    "creating",
    `is<number[]>(await orders.create([{ Amount: 1, Status: "open", Ordered: "2026-03-01" }]));`,
    `orders.create([{ Amount: "1" }]);`,
  ],
  ["a new record's columns", `orders.create([{ Note: "x" }]);`, `orders.create([{ Nte: "x" }]);`],
  ["a new record's choice", `orders.create([{ Status: "shipped" }]);`, `orders.create([{ Status: "sent" }]);`],
  [
    "a new record's list",
    `orders.create([{ Tags: toList(["new"]), Files: toList([1]) }]);`,
    `orders.create([{ Tags: ["new"] }]);`,
  ],
  [
    "an item of a new record's list",
    `orders.create([{ Tags: toList(["urgent"]) }]);`,
    `orders.create([{ Tags: toList(["later"]) }]);`,
  ],
  ["computed columns", `orders.create([{ Price: 1 }]);`, `orders.create([{ Total: 1 }]);`],
  ["a reference to write", `orders.create([{ Customer: 3 }]);`, `orders.create([{ Customer: { id: 3 } }]);`],
  [
    "returned records",
    `is<number | null | undefined>((await orders.create([{}], { return: "records" }))[0]?.fields.Total);`,
    `(await orders.create([{}]))[0]?.fields;`,
  ],
  [
    "returned ids",
    `is<number[]>(await orders.update([], { return: "ids" }));`,
    `is<number[]>(await orders.update([]));`,
  ],
  [
    "a dry run",
    `is<number | undefined>((await orders.create([{}], { dryrun: true })).tables[0]?.rows.added);`,
    `is<number[]>(await orders.create([{}], { dryrun: true }));`,
  ],
  [
    "updating",
    `is<null>(await orders.update([{ id: 1, fields: { Paid: true } }]));`,
    `orders.update([{ fields: { Paid: true } }]);`,
  ],
  [
    "updating a computed column",
    `orders.update([{ id: 1, fields: { Price: 2 } }]);`,
    `orders.update([{ id: 1, fields: { Total: 2 } }]);`,
  ],
  [
    "updating by a filter",
    `orders.updateWhere({ Status: ["open"] }, { Status: "shipped" }, { maxRows: 10 });`,
    `orders.updateWhere({ Status: ["open"] }, { Status: "gone" });`,
  ],
  [
    "the filter of an update",
    `orders.updateWhere({ Amount: { gt: 1 } }, { Paid: true });`,
    `orders.updateWhere({ Amuont: { gt: 1 } }, { Paid: true });`,
  ],
  [
    "upserting",
    `is<number[]>((await orders.upsert([{ require: { Note: "x" }, fields: { Price: 2 } }])).addRecordIds);`,
    `orders.upsert([{ fields: { Price: 2 } }]);`,
  ],
  [
    "options of upserting",
    `orders.upsert([], { onmany: "all", noadd: true });`,
    `orders.upsert([], { onmany: "some" });`,
  ],
  [
    "upserting by a formula",
    `orders.upsert([{ require: { Total: 3 } }]);`,
    `orders.upsert([{ require: { Total: "3" } }]);`,
  ],
  ["deleting", `orders.delete([1, 2]);`, `orders.delete(["1"]);`],
  [
    "deleting by a filter",
    `orders.deleteWhere({ Paid: [true] }, { maxRows: 5 });`,
    `orders.deleteWhere({ Piad: [true] });`,
  ],
  [
    "a batch",
    `doc.batch([{ op: "add", as: "o", table: "Orders", records: [{ fields: { Amount: 1 } }] }]);`,
    `doc.batch([{ op: "add", table: "Orders", records: [{ fields: { Amount: "x" } }] }]);`,
  ],
  [
    "a table of a batch",
    `doc.batch([{ op: "delete", table: "Customers", ids: [1] }]);`,
    `doc.batch([{ op: "delete", table: "Clients", ids: [1] }]);`,
  ],
  [
    "references in a batch",
    `doc.batch([{ op: "update", table: "Orders", records: [{ id: ref("o.ids.0"), fields: { Customer: ref("c.ids.0") } }] }]);`,
    `ref("o.0");`,
  ],
  [
    "an operation of a batch",
    `doc.batch([{ op: "upsert", table: "Orders", records: [{ require: { Note: "x" } }], onmany: "all" }]);`,
    `doc.batch([{ op: "insert", table: "Orders", records: [] }]);`,
  ],
  [
    "results of a batch",
    `is<(number | null)[] | undefined>((await doc.batch([]))[0]?.ids);`,
    `(await doc.batch([])).results;`,
  ],
  [
    "a dry run of a batch",
    `(await doc.batch([], { dryrun: true })).isTruncated;`,
    `(await doc.batch([])).isTruncated;`,
  ],
  [
    "groups",
    `is<string | null | undefined>((await orders.aggregate({ groupBy: ["Note"] })).groups[0]?.Note);`,
    `orders.aggregate({ groupBy: ["Nte"] });`,
  ],
  [
    "periods",
    `is<string | null | undefined>((await orders.aggregate({ groupBy: [{ column: "Ordered", by: "month" }] })).groups[0]?.Ordered);`,
    `orders.aggregate({ groupBy: [{ column: "Ordered", by: "decade" }] });`,
  ],
  [
    "named groups",
    `(await orders.aggregate({ groupBy: [{ column: "Ordered", as: "day" }] })).groups[0]?.day;`,
    `(await orders.aggregate({ groupBy: [{ column: "Ordered", as: "day" }] })).groups[0]?.Ordered;`,
  ],
  [
    "measures",
    `is<number | null | undefined>((await orders.aggregate({ measures: { sum: { sum: "Price" } } })).groups[0]?.sum);`,
    `orders.aggregate({ measures: { sum: { sum: "Prize" } } });`,
  ],
  [
    "sums of numbers",
    `orders.aggregate({ measures: { sum: { sum: "Total" } } });`,
    `orders.aggregate({ measures: { sum: { sum: "Note" } } });`,
  ],
  [
    "measures of other types",
    `is<string | null | undefined>((await orders.aggregate({ measures: { last: { max: "Ordered" } } })).totals?.last);`,
    `orders.aggregate({ measures: { last: { latest: "Ordered" } } });`,
  ],
  [
    "names of measures",
    `(await orders.aggregate({ measures: { n: "count" } })).groups[0]?.n;`,
    `(await orders.aggregate({ measures: { n: "count" } })).groups[0]?.count;`,
  ],
  [
    "sorted groups",
    `orders.aggregate({ groupBy: ["Note"], measures: { n: "count" }, sort: ["-n", "Note"] });`,
    `orders.aggregate({ measures: { n: "count" }, sort: ["-m"] });`,
  ],
  [
    "SQL",
    "is<{ n: number }[]>(await doc.sql<{ n: number }>`select count(*) as n from Orders where Amount > ${3}`);",
    "doc.sql`select ${new Date()}`;",
  ],
  ["options of SQL", "doc.sqlWith({ timeout: 100 })`select 1`;", "doc.sqlWith({ timeout: '100' })`select 1`;"],
  ["SQL as a text", "doc.sql`select 1`;", `doc.sql("select 1");`],
  [
    "uploads",
    `is<number[]>(await doc.attachments.upload([{ name: "a.txt", data: "text" }], { onProgress: ({ sentBytes }) => is<number>(sentBytes) }));`,
    `doc.attachments.upload([{ data: "text" }]);`,
  ],
  ["downloads", `is<Response>(await doc.attachments.download(7));`, `doc.attachments.download("7");`],
  ["a signal", `orders.list({ signal });`, `orders.list({ signal: 1000 });`],
  [
    "a key of a write",
    `orders.create([{}], { idempotencyKey: "delivery-1" });`,
    `orders.create([{}], { idempotencyKey: 1 });`,
  ],
  [
    "codes of errors",
    `try { await orders.get(1); } catch (error) { if (error instanceof QuernError && error.code === "record.not_found") is<number>(error.status); }`,
    `try { await orders.get(1); } catch (error) { if (error instanceof QuernError) error.code === "record.missing"; }`,
  ],
  ["a code in a variable", `is<ErrorCode>("table.not_found");`, `is<ErrorCode>("table.not.found");`],
  [
    "a webhook",
    `is<Delivery<WebhookRow<Schema, "Orders">>>(await verifyWebhook<Schema, "Orders">({ secret: "s", headers: {}, body: "" }));`,
    `verifyWebhook({ secret: "s", headers: {} });`,
  ],
  [
    "rows of a webhook",
    `is<number | null | undefined>((await verifyWebhook<Schema, "Orders">({ secret: "s", headers: {}, body: "" })).rows[0]?.Amount);`,
    `(await verifyWebhook<Schema, "Orders">({ secret: "s", headers: {}, body: "" })).rows[0]?.Amuont;`,
  ],
  [
    "rows of a webhook without a schema",
    `is<number | undefined>((await verifyWebhook({ secret: "s", headers: {}, body: "" })).rows[0]?.id);`,
    `is<string>((await verifyWebhook({ secret: "s", headers: {}, body: "" })).rows[0]?.Name);`,
  ],
  [
    "a client without declarations",
    `(await untyped.list({ filter: { A: { gt: 1 } }, fields: ["A", "B.C"], sort: "-A" })).records[0]?.fields["A"];`,
    `untyped.list({ limit: "10" });`,
  ],
  [
    "writes without declarations",
    `untyped.create([{ A: 1, B: "x", C: ["L", 1] }]);`,
    `untyped.create([{ A: { nested: true } }]);`,
  ],
  [
    "aggregation without declarations",
    `(await untyped.aggregate({ groupBy: ["A"], measures: { s: { sum: "B" } } })).groups[0]?.s;`,
    `untyped.aggregate({ groupBy: "A" });`,
  ],
  ["other requests", `is<unknown>(await doc.request("GET", "states"));`, `doc.request({ path: "states" });`],
];
