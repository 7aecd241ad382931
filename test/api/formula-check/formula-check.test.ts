import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { orders } from "../why/scene.ts";

let app: TestApp;
let doc = "";
beforeAll(async () => {
  app = await testApp();
  doc = await orders(app);
});
afterAll(() => app?.[Symbol.asyncDispose]());

interface Answer {
  problems: { kind: string; name?: string; suggestion?: string | null; from: number; to: number; error?: string }[];
  result: { kind: string; text?: string; error?: string; line?: number } | null;
}

const ask = (as: Caller, table: string, body: object) =>
  app.call(as, "POST", `${doc}/tables/${table}/formulas/check`, body);

async function check(formula: string, more: object = {}, table = "Orders"): Promise<Answer> {
  const { status, body } = await ask("editor", table, { formula, row: 1, ...more });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as Answer;
}

describe("the result", () => {
  test.each([
    ["$Quantity * $Price", {}, "20"],
    ["$Quantity * $Price", { column: "Total" }, "20"],
    ["$Customer.Name.upper()", {}, "ADA"],
    ["Orders.lookupRecords(Customer=$Customer)", {}, "Orders[[1,2]]"],
    ["len(Orders.all)", {}, "3"],
    ["$Customer", {}, "Customers[1]"],
    ["x = $Price\nreturn x + 1", {}, "11"],
    ["value", { column: "Title", isTrigger: true }, "First"],
    ["user.Access", { column: "Title", isTrigger: true }, "editors"],
    ["max(Orders.all.Price)", {}, "10"],
    ["Orders.lookupRecords(order_by='Title').find.lt('Second').Title", {}, "First"],
  ])("of %j %j is %j", async (formula, more, text) => {
    const { problems, result } = await check(formula, more);
    expect({ problems, text: result?.text }).toEqual({ problems: [], text });
  });

  test("is an error with its line", async () => {
    const { result } = await check("x = $Price\nreturn x / ($Quantity - 2)", {});
    expect(result).toMatchObject({ kind: "error", error: "ZeroDivisionError", line: 2 });
  });

  test("of an endless formula is a timeout, while the document stays in use", async () => {
    const { result } = await check("while True:\n  pass\nreturn 1", {});
    expect(result).toMatchObject({ kind: "error", error: "TimeoutError" });
    expect((await app.call("owner", "GET", `${doc}/tables/Orders/records`)).status).toBe(200);
  });

  test("is null without a row, and unknown for a row that does not exist", async () => {
    expect((await check("1", { row: undefined })).result).toBeNull();
    expect((await check("$Price", { row: 99 })).result).toEqual({ kind: "unknown" });
  });

  test("is not stored", async () => {
    const before = await app.call("owner", "GET", `${doc}/states`);
    await check("$Price + 1", { column: "Total" });
    expect((await app.call("owner", "GET", `${doc}/states`)).body).toEqual(before.body);
  });
});

describe("problems", () => {
  const shown = async (formula: string, more: object = {}) => {
    const { problems } = await check(formula, more);
    return problems.map(({ kind, from, to, suggestion }) => [kind, formula.slice(from, to), suggestion]);
  };
  test.each<[string, unknown[][]]>([
    ["$Quantty * $Price", [["column", "Quantty", "Quantity"]]],
    ["  $price", [["column", "price", "Price"]]],
    ["$Customer.Nme", [["column", "Nme", "Name"]]],
    ["$Zebra", [["column", "Zebra", null]]],
    ["Custmers.lookupOne(Name='Ada').City", [["name", "Custmers", "Customers"]]],
    ["Customers.lookupOne(Nam='Ada').City", [["column", "Nam", "Name"]]],
    ["SUMM($Price, 1)", [["name", "SUMM", "SUM"]]],
    ["lenn($Title)", [["name", "lenn", "len"]]],
    ["nothing_like_it", [["name", "nothing_like_it", null]]],
    ["value", [["name", "value", expect.anything()]]],
    ["'$Quantty'", []],
    ["# $Quantty\n1", []],
    ["[x.Price for x in Orders.all]", []],
    ["x = 1\nreturn x", []],
    ["$id + $manualSort", []],
    ["len($Title", [["syntax", "e", undefined]]],
    ["1 +", [["syntax", "+", undefined]]],
  ])("of %j", async (formula, expected) => {
    expect(await shown(formula)).toEqual(expected as never);
  });

  test("name the error, and there is no result", async () => {
    expect(await check("x = 1")).toMatchObject({ problems: [{ kind: "syntax", error: "SyntaxError" }], result: null });
    expect(await check("   ")).toEqual({ problems: [], result: null });
    expect((await check("$Quantty")).result).toBeNull();
  });
});

describe("access", () => {
  test("is for users who may change columns", async () => {
    const body = { formula: "1" };
    expect((await ask("viewer", "Orders", body)).status).toBe(403);
    expect((await ask("stranger", "Orders", body)).status).toBe(403);
    expect((await ask("owner", "Nope", body)).status).toBe(404);
    expect((await ask("owner", "Orders", { formula: "1", column: "Nope" })).status).toBe(404);
    expect((await ask("owner", "Orders", { formula: 1 })).status).toBe(400);
    await setRules(app, doc, { "*:*": [{ formula: "user.Access != OWNER", permissions: "-S" }] });
    expect((await ask("editor", "Orders", body)).status).toBe(403);
    expect((await ask("owner", "Orders", body)).status).toBe(200);
  });
});
