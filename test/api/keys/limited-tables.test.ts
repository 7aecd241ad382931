/** What a key that is limited to a table can read and write, and what it cannot learn about other tables. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { must } from "../../../src/lib/assert.ts";
import { limitedKey, NOWHERE } from "../../helpers/limited-keys.ts";
import { sampleDocument, testApp, type Reply, type TestApp } from "../../helpers/app.ts";

let server: TestApp;
let doc: string;
let key: string;

const SECRET = "Zanzibar";

beforeAll(async () => {
  server = await testApp();
  doc = (await sampleDocument(server)).doc;
  await server.must("POST", `/api/docs/${doc}/tables`, {
    tables: [
      {
        id: "People",
        columns: [
          { id: "Name", fields: { type: "Text" } },
          { id: "Photo", fields: { type: "Attachments" } },
        ],
      },
      {
        id: "Orders",
        columns: [
          { id: "Amount", fields: { type: "Int" } },
          { id: "Customer", fields: { type: "Ref:People" } },
          { id: "Helpers", fields: { type: "RefList:People" } },
          { id: "Files", fields: { type: "Attachments" } },
          { id: "Doubled", fields: { type: "Numeric", isFormula: true, formula: "$Amount * 2" } },
          { id: "CustomerName", fields: { type: "Text", isFormula: true, formula: "$Customer.Name" } },
        ],
      },
    ],
  });
  await server.must("POST", `/api/docs/${doc}/tables/People/records`, {
    records: [{ fields: { Name: SECRET } }, { fields: { Name: "Anna" } }],
  });
  await server.must("POST", `/api/docs/${doc}/tables/Orders/records`, {
    records: [
      { fields: { Amount: 7, Customer: 1, Helpers: ["L", 1, 2] } },
      { fields: { Amount: 8, Customer: 2, Helpers: null } },
    ],
  });
  // Shows references by name.
  const { columns } = await server.must<{ columns: { id: string; fields: { colRef: number } }[] }>(
    "GET",
    `/api/docs/${doc}/tables/People/columns`,
  );
  const shown = columns.find(({ id }) => id === "Name")?.fields.colRef;
  await server.must("PATCH", `/api/docs/${doc}/tables/Orders/columns`, {
    columns: [{ id: "Customer", fields: { visibleCol: shown } }],
  });
  key = limitedKey(server, "owner", { restrictions: { ...NOWHERE, tables: { [doc]: ["Orders"] } } });
});
afterAll(() => server[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: unknown, as = key): Promise<Reply> =>
  server.call("owner", method, `/api/docs/${doc}${path}`, body, { headers: { Authorization: `Bearer ${as}` } });

describe("reads", () => {
  test("records with computed values, and ids of references", async () => {
    const { body } = await call("GET", "/tables/Orders/records?limit=1");
    expect(body.records[0].fields).toMatchObject({ Amount: 7, Customer: 1, Helpers: ["L", 1, 2], Doubled: 14 });
  });

  test.each([
    "/tables/Orders/records",
    "/tables/Orders/records?expand=Customer",
    "/tables/Orders/records?expand=Helpers&cellFormat=display",
    "/tables/Orders/records?cellFormat=typed",
    "/tables/Orders/records?cellFormat=display",
    "/tables/Orders/records?cellFormat=iso",
    "/tables/Orders/records?hidden=1",
    "/tables/Orders/records/1",
    "/tables/Orders/records/1?cellFormat=display",
    "/tables/Orders/data",
    "/tables/Orders/data?cellFormat=typed",
    "/jobs",
  ])("no values and names of other tables: %s", async (path) => {
    const { status, body } = await call("GET", path);
    expect(status).toBe(200);
    const records = JSON.stringify(body)
      .replaceAll(`"CustomerName":"${SECRET}"`, "")
      .replaceAll(`["${SECRET}","Anna"]`, "");
    expect(records).not.toContain(SECRET);
    expect(records).not.toContain("People");
  });

  test("sorts by a reference as it reads it, by id", async () => {
    const { body } = await call("GET", "/tables/Orders/records?sort=Customer");
    expect(body.records.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
  });

  test.each([
    ["GET", "/tables/Orders/records?fields=Customer.Name", undefined],
    ["GET", "/tables/Orders/records?expand=Customer.Name", undefined],
    ["GET", `/tables/Orders/records?filter=${encodeURIComponent('{"Customer.Name":["Anna"]}')}`, undefined],
    ["GET", "/tables/Orders/records?sort=Customer.Name", undefined],
    ["POST", "/tables/Orders/aggregate", { groupBy: ["Customer.Name"] }],
    ["GET", "/tables/Orders/records/1?fields=Customer.Name", undefined],
  ])("refuses paths through references like unknown columns: %s %s", async (method, path, body) => {
    const refused = await call(method, path, body);
    const missing = await call(
      method,
      path.replaceAll("r.Name", "r.Nothing"),
      JSON.parse(JSON.stringify(body ?? null).replaceAll("r.Name", "r.Nothing")) ?? undefined,
    );
    expect([path, refused.status, JSON.stringify(refused.body).replaceAll("r.Name", "r.Nothing")]).toEqual([
      path,
      missing.status,
      JSON.stringify(missing.body),
    ]);
  });

  test("aggregates of its table", async () => {
    const { body } = await call("POST", "/tables/Orders/aggregate", { measures: { total: { sum: "Amount" } } });
    expect(JSON.stringify(body)).toContain("15");
  });
});

describe("writes", () => {
  test("records of its table", async () => {
    const added = await call("POST", "/tables/Orders/records", { records: [{ fields: { Amount: 1 } }] });
    expect(added.status).toBe(200);
    const id = added.body.records[0].id;
    expect((await call("PATCH", "/tables/Orders/records", { records: [{ id, fields: { Amount: 2 } }] })).status).toBe(
      200,
    );
    const upsert = { records: [{ require: { Amount: 2 }, fields: { Amount: 3 } }] };
    expect((await call("PUT", "/tables/Orders/records", upsert)).status).toBe(200);
    const batch = { operations: [{ op: "delete", table: "Orders", ids: [id] }] };
    expect((await call("POST", "/batch", batch)).status).toBe(200);
  });

  test("in a batch, other tables answer like missing ones, and nothing is changed", async () => {
    const send = (table: string) =>
      call("POST", "/batch", {
        operations: [
          { op: "add", table: "Orders", records: [{ fields: { Amount: 99 } }] },
          { op: "add", table, records: [{}] },
        ],
      });
    const [hidden, missing] = [await send("People"), await send("Nothing")];
    expect([hidden.status, hidden.body.details]).toEqual([404, { code: "table.not_found", operation: 1 }]);
    expect(JSON.stringify(hidden.body)).toBe(JSON.stringify(missing.body).replaceAll("Nothing", "People"));
    expect((await call("GET", `/tables/Orders/records?filter={"Amount":[99]}`)).body.records).toEqual([]);
  });

  test("text that names a hidden record is no reference to it", async () => {
    const { body } = await call("POST", "/tables/Orders/records", {
      records: [{ fields: { Customer: SECRET } }, { fields: { Customer: "Nobody" } }],
    });
    const ids = body.records.map(({ id }: { id: number }) => id);
    const { body: read } = await call("GET", `/tables/Orders/records?filter={"id":${JSON.stringify(ids)}}`);
    expect(read.records.map(({ fields }: { fields: { Customer: unknown } }) => fields.Customer)).toEqual([
      SECRET,
      "Nobody",
    ]);
  });
});

describe("types", () => {
  const read = async (as = key) => String((await call("GET", "/types.d.ts", undefined, as)).body);

  test("are those of its table, and name no other", async () => {
    const types = await read();
    expect(types).toContain("  Orders: {");
    expect(types).toContain('    Customer: { type: "Ref" };');
    expect(types).toContain('    CustomerName: { type: "Text"; computed: true };');
    expect(types).not.toContain("People");
    expect(types).not.toContain("Table1");
  });

  test("do not show by their ETag that another table changes", async () => {
    const tag = async () => (await call("GET", "/types.d.ts")).headers.get("etag");
    const before = await tag();
    await server.must("POST", `/api/docs/${doc}/tables/People/columns`, { columns: [{ id: "Age" }] });
    expect(await tag()).toBe(before);
  });

  test("of a table that does not exist are missing, and the scope is required", async () => {
    const elsewhere = { restrictions: { ...NOWHERE, tables: { [doc]: ["Nothing"] } } };
    expect(await read(limitedKey(server, "owner", elsewhere))).not.toContain("type:");
    const restrictions = { ...NOWHERE, tables: { [doc]: ["Orders"] } };
    const records = limitedKey(server, "owner", { scopes: ["records:read"], restrictions });
    const { status, body } = await call("GET", "/types.d.ts", undefined, records);
    expect([status, body.details]).toEqual([403, { code: "scope.missing", missingScope: "schema:read" }]);
  });
});

describe("attachments", () => {
  test("are read if a cell of its table holds them, and answer alike otherwise", async () => {
    const upload = async () => {
      const form = new FormData();
      form.append("upload", new File(["content"], "file.txt"));
      const { body } = await server.call("owner", "POST", `/api/docs/${doc}/attachments`, undefined, { raw: form });
      return body[0] as number;
    };
    const [own, hidden] = [await upload(), await upload()];
    await server.must("PATCH", `/api/docs/${doc}/tables/Orders/records`, {
      records: [{ id: 1, fields: { Files: ["L", own] } }],
    });
    await server.must("PATCH", `/api/docs/${doc}/tables/People/records`, {
      records: [{ id: 1, fields: { Photo: ["L", hidden] } }],
    });
    expect((await call("GET", `/attachments/${own}`)).status).toBe(200);
    expect((await call("GET", `/attachments/${own}/download`)).status).toBe(200);
    const cell = `tableId=People&colId=Photo&rowId=1`;
    for (const suffix of ["", "/download", `?${cell}`, `/download?${cell}`, "?maybeNew=1"]) {
      const [refused, missing] = [
        await call("GET", `/attachments/${hidden}${suffix}`),
        await call("GET", `/attachments/999${suffix}`),
      ];
      expect([suffix, refused.status, refused.body]).toEqual([suffix, missing.status, missing.body]);
      expect([403, 404]).toContain(refused.status);
    }
  });
});

test("a change in another table is no event, and a change of its table names no other", async () => {
  const response = await server.app.handle(
    new Request(`http://quern.test/o/team/api/docs/${doc}/events`, {
      headers: { Host: "quern.test", Authorization: `Bearer ${key}` },
    }),
  );
  expect(response.status).toBe(200);
  const reader = must(response.body).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (found: string) => {
    while (!text.includes(found)) text += (await reader.read()).value ?? "";
  };
  await readUntil("event: ready");
  await server.must("POST", `/api/docs/${doc}/tables/People/records`, { records: [{ fields: { Name: "New" } }] });
  await server.must("POST", `/api/docs/${doc}/tables/Orders/records`, { records: [{ fields: { Amount: 3 } }] });
  await readUntil("Orders");
  expect(text).not.toContain("People");
  await reader.cancel();
});

test("a key that loses its limits to the table, or is revoked, ends its stream", async () => {
  const revoked = limitedKey(server, "owner", { restrictions: { ...NOWHERE, documents: [doc] } });
  const response = await server.app.handle(
    new Request(`http://quern.test/o/team/api/docs/${doc}/events`, {
      headers: { Host: "quern.test", Authorization: `Bearer ${revoked}` },
    }),
  );
  const reader = must(response.body).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (found: string) => {
    while (!text.includes(found)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`ended before ${found}: ${text}`);
      text += value;
    }
  };
  await readUntil("event: ready");
  const { keys } = server.app.ctx.home;
  const owner = must(server.app.ctx.home.users.byEmail("olga@example.com")).id;
  const id = must(keys.listOf(owner).findLast(({ prefix }) => revoked.startsWith(prefix))).id;
  server.app.ctx.home.transaction(() => keys.remove(id));
  await server.must("POST", `/api/docs/${doc}/tables/Orders/records`, { records: [{ fields: { Amount: 4 } }] });
  await readUntil("event: end");
  expect(text).not.toContain("Orders");
  await reader.cancel();
});
