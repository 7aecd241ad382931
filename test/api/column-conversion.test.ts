import { describe, expect, test } from "bun:test";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";

const CUSTOMERS = { id: "Customers", columns: [{ id: "Name", fields: { type: "Text" } }] };

async function orders(app: TestApp, locale = "de-DE") {
  const { doc } = await sampleDocument(app);
  const path = `/api/docs/${doc}`;
  const settings = JSON.stringify({ locale });
  await app.must("POST", `${path}/apply`, [["UpdateRecord", "_grist_DocInfo", 1, { documentSettings: settings }]]);
  const columns = ["Customer", "Ordered", "Total"].map((id) => ({ id, fields: { type: "Text" } }));
  await app.must("POST", `${path}/tables`, { tables: [CUSTOMERS, { id: "Orders", columns }] });
  await app.must("POST", `${path}/tables/Customers/records`, {
    records: ["Anna Kern", "Bruno Ortiz"].map((Name) => ({ fields: { Name } })),
  });
  const rows = [
    ["Anna Kern", "31.12.2024", "1,50"],
    ["Bruno Ortiz", "01.02.2025", "1.234,50 €"],
    ["Kunde X", "bald", "n/a"],
    ["Kunde X", "", "n/a"],
    ["Anna Kern", "03.02.2025", "7"],
  ];
  await app.must("POST", `${path}/tables/Orders/records`, {
    records: rows.map(([Customer, Ordered, Total]) => ({ fields: { Customer, Ordered, Total } })),
  });
  const list = await app.must<{ columns: { id: string; fields: { colRef: number; displayCol: number } }[] }>(
    "GET",
    `${path}/tables/Customers/columns`,
  );
  const cells = async (column: string): Promise<unknown[]> => {
    const data = await app.must<Record<string, unknown[]>>("GET", `${path}/tables/Orders/data`);
    return data[column] ?? [];
  };
  const convert = (column: string, body: unknown, query = "", as: "owner" | "viewer" = "owner") =>
    app.call(as, "POST", `${path}/tables/Orders/columns/${column}/convert${query}`, body);
  return { path, doc, nameRef: list.columns[0]?.fields.colRef ?? 0, cells, convert };
}

const at = (iso: string): number => Date.parse(iso) / 1000;

describe("converting a column to another type", () => {
  test("reads dates in the column's format, and previews the cells that do not convert", async () => {
    await using app = await testApp();
    const { convert, cells } = await orders(app);
    const body = { type: "Date", widgetOptions: JSON.stringify({ dateFormat: "DD.MM.YYYY" }) };
    const preview = await convert("Ordered", body, "?dryRun=1");
    expect(preview.status).toBe(200);
    expect(preview.body).toEqual({
      cells: 4,
      converted: 3,
      examples: [{ text: "bald", count: 1, rows: [3] }],
      formats: null,
    });
    // The preview has changed nothing.
    expect(await cells("Ordered")).toEqual(["31.12.2024", "01.02.2025", "bald", "", "03.02.2025"]);
    const done = await convert("Ordered", body);
    expect(done).toMatchObject({ status: 200, body: { actionNum: expect.any(Number) } });
    expect(await cells("Ordered")).toEqual([at("2024-12-31"), at("2025-02-01"), "bald", null, at("2025-02-03")]);
  });

  test("suggests the format of the texts if the given one reads few of them", async () => {
    await using app = await testApp();
    const { convert } = await orders(app);
    const { body } = await convert("Ordered", { type: "Date" }, "?dryRun=1");
    expect(body).toMatchObject({ cells: 4, converted: 0, formats: { dateFormat: "DD.MM.YYYY" } });
  });

  test("reads numbers in the document's locale", async () => {
    await using app = await testApp();
    const german = await orders(app);
    const preview = await german.convert("Total", { type: "Numeric" }, "?dryRun=true");
    expect(preview.body).toEqual({
      cells: 5,
      converted: 3,
      examples: [{ text: "n/a", count: 2, rows: [3, 4] }],
      formats: null,
    });
    await german.convert("Total", { type: "Numeric" });
    expect(await german.cells("Total")).toEqual([1.5, 1234.5, "n/a", "n/a", 7]);
  });

  test("looks texts up in the displayed column of a reference, in one change that one undo reverts", async () => {
    await using app = await testApp();
    const { path, convert, cells, nameRef } = await orders(app);
    const body = { type: "Ref:Customers", visibleCol: nameRef };
    const preview = await convert("Customer", body, "?dryRun=1");
    expect(preview.body).toMatchObject({ cells: 5, converted: 3, examples: [{ text: "Kunde X", count: 2 }] });
    const before = await app.must<{ states: { n: number }[] }>("GET", `${path}/states`);
    const { body: done } = await convert("Customer", body);
    expect(await cells("Customer")).toEqual([1, 2, "Kunde X", "Kunde X", 1]);
    const { states } = await app.must<{ states: { n: number }[] }>("GET", `${path}/states`);
    expect(states.length).toBe(before.states.length + 1);
    const data = await app.must<Record<string, unknown[]>>("GET", `${path}/tables/Orders/data`);
    const stray = ["E", "InvalidTypedValue", "Ref", "Kunde X"];
    expect(data["gristHelper_Display"]).toEqual(["Anna Kern", "Bruno Ortiz", stray, stray, "Anna Kern"]);
    await app.must("POST", `${path}/states/${done.actionNum}/undo`);
    expect(await cells("Customer")).toEqual(["Anna Kern", "Bruno Ortiz", "Kunde X", "Kunde X", "Anna Kern"]);
    const { columns } = await app.must<{ columns: { id: string; fields: { type: string; visibleCol: number } }[] }>(
      "GET",
      `${path}/tables/Orders/columns`,
    );
    expect(columns.find(({ id }) => id === "Customer")?.fields).toMatchObject({ type: "Text", visibleCol: 0 });
  });

  test("adds the rows that no text has, and matches by another column than the shown one, in one change", async () => {
    await using app = await testApp();
    const { path, convert, cells, nameRef } = await orders(app);
    await app.must("POST", `${path}/tables/Customers/columns`, {
      columns: [{ id: "Number", fields: { type: "Numeric" } }],
    });
    const { columns } = await app.must<{ columns: { fields: { colRef: number } }[] }>(
      "GET",
      `${path}/tables/Customers/columns`,
    );
    await app.must("POST", `${path}/tables/Orders/records`, { records: [{ fields: { Customer: "Kunde <b>" } }] });
    const body = { type: "Ref:Customers", visibleCol: nameRef };
    const preview = await convert("Customer", body, "?dryRun=1");
    expect(preview.body).toMatchObject({ cells: 6, converted: 3, missing: 2 });
    const adding = { ...body, addMissing: true };
    expect((await convert("Customer", adding, "?dryRun=1")).body).toMatchObject({
      converted: 6,
      examples: [],
      missing: 2,
    });
    const { body: done } = await convert("Customer", adding);
    expect(await cells("Customer")).toEqual([1, 2, 3, 3, 1, 4]);
    const customers = () => app.must<Record<string, unknown[]>>("GET", `${path}/tables/Customers/data`);
    expect((await customers())["Name"]).toEqual(["Anna Kern", "Bruno Ortiz", "Kunde X", "Kunde <b>"]);
    await app.must("POST", `${path}/states/${done.actionNum}/undo`);
    expect((await customers())["Name"]).toEqual(["Anna Kern", "Bruno Ortiz"]);
    expect(await cells("Customer")).toEqual([
      "Anna Kern",
      "Bruno Ortiz",
      "Kunde X",
      "Kunde X",
      "Anna Kern",
      "Kunde <b>",
    ]);
    // Numbers are equal whatever their text; texts that are no numbers get no row.
    const matchCol = columns[1]?.fields.colRef ?? 0;
    await app.must("PATCH", `${path}/tables/Customers/records`, { records: [{ id: 2, fields: { Number: 7 } }] });
    expect((await convert("Total", { ...adding, matchCol }, "?dryRun=1")).body).toMatchObject({
      cells: 5,
      converted: 3,
      missing: 2,
    });
    await convert("Total", { ...adding, matchCol });
    expect(await cells("Total")).toEqual([3, 4, "n/a", "n/a", 2, 0]);
    expect((await customers())["Number"]).toEqual([0, 7, 1.5, 1234.5]);
    const { columns: after } = await app.must<{ columns: { id: string; fields: { visibleCol: number } }[] }>(
      "GET",
      `${path}/tables/Orders/columns`,
    );
    expect(after.find(({ id }) => id === "Total")?.fields.visibleCol).toBe(nameRef);
  });

  test("lists get a row for each missing item; a rule against new rows refuses the change", async () => {
    await using app = await testApp();
    const { path, convert, cells, nameRef } = await orders(app);
    await app.must("POST", `${path}/tables/Orders/records`, {
      records: [{ fields: { Customer: "Anna Kern, New One, Kunde X" } }],
    });
    const body = { type: "RefList:Customers", visibleCol: nameRef, addMissing: true };
    expect((await convert("Customer", body, "?dryRun=1")).body).toMatchObject({ cells: 6, converted: 6, missing: 2 });
    await app.must("POST", `${path}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Customers", colIds: "*" }],
      ["AddRecord", "_grist_ACLRules", null, { resource: -1, aclFormula: "", permissionsText: "-C" }],
    ]);
    expect(await convert("Customer", body)).toMatchObject({ status: 403 });
    expect(await cells("Customer")).toContain("Kunde X");
    expect((await app.must<Record<string, unknown[]>>("GET", `${path}/tables/Customers/data`))["Name"]).toHaveLength(2);
  });

  test("converts references back to their displayed texts, and a formula column to data", async () => {
    await using app = await testApp();
    const { path, convert, cells, nameRef } = await orders(app);
    await convert("Customer", { type: "Ref:Customers", visibleCol: nameRef });
    await convert("Customer", { type: "Text" });
    expect(await cells("Customer")).toEqual(["Anna Kern", "Bruno Ortiz", "Kunde X", "Kunde X", "Anna Kern"]);
    await app.must("POST", `${path}/tables/Orders/columns`, {
      columns: [{ id: "Twice", fields: { type: "Any", isFormula: true, formula: "$id * 2" } }],
    });
    expect(await convert("Twice", { type: "Text" })).toMatchObject({ status: 200 });
    expect(await cells("Twice")).toEqual(["2", "4", "6", "8", "10"]);
  });

  test("refuses impossible conversions, and viewers, with and without dry run, and changes nothing", async () => {
    await using app = await testApp();
    const { doc, path, convert, cells, nameRef } = await orders(app);
    await app.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { "vito@example.com": "viewers" } } });
    for (const query of ["", "?dryRun=1"]) {
      expect((await convert("Total", { type: "Nonsense" }, query)).status).toBe(400);
      expect((await convert("Total", { type: "Numeric", visibleCol: nameRef }, query)).status).toBe(400);
      expect((await convert("Total", {}, query)).status).toBe(400);
      expect((await convert("manualSort", { type: "Text" }, query)).status).toBe(400);
      expect((await convert("Nothing", { type: "Text" }, query)).status).toBe(404);
      expect((await convert("Total", { type: "Numeric" }, query, "viewer")).status).toBe(403);
      expect(
        (await app.call("owner", "POST", `${path}/tables/No/columns/A/convert${query}`, { type: "Text" })).status,
      ).toBe(404);
    }
    expect(await cells("Total")).toEqual(["1,50", "1.234,50 €", "n/a", "n/a", "7"]);
  });

  test("does not reveal rows that access rules hide from the caller", async () => {
    await using app = await testApp();
    const { doc, path, convert } = await orders(app);
    await app.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { "vito@example.com": "editors" } } });
    await app.must("POST", `${path}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Orders", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER and rec.id == 3", permissionsText: "none" },
      ],
    ]);
    expect((await convert("Total", { type: "Numeric" }, "?dryRun=1", "viewer")).status).toBe(403);
    expect((await convert("Total", { type: "Numeric" }, "?dryRun=1")).status).toBe(200);
  });
});
