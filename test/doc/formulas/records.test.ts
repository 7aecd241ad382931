import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Scratch } from "../actions/scratch.ts";

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
  scratch.do("AddTable", "Ships", [
    { id: "Name" },
    { id: "Home", type: "Ref:Ports" },
    { id: "Calls", type: "RefList:Ports" },
    { id: "Tons", type: "Numeric" },
    { id: "Flags", type: "ChoiceList" },
    { id: "Built", type: "Date" },
  ]);
  scratch.do("AddTable", "Ports", [{ id: "Name" }, { id: "Land", type: "Ref:Lands" }, { id: "Depth", type: "Int" }]);
  scratch.do("AddTable", "Lands", [{ id: "Name" }]);
  scratch.do("BulkAddRecord", "Lands", [null, null], { Name: ["Chile", "Ghana"] });
  scratch.do("BulkAddRecord", "Ports", [null, null, null], {
    Name: ["Arica", "Tema", "Nowhere"],
    Land: [1, 2, 0],
    Depth: [12, 9, null],
  });
  scratch.do("BulkAddRecord", "Ships", [null, null, null, null], {
    Name: ["Ana", "Bo", "Cy", "Ana"],
    Home: [1, 2, 1, 0],
    Calls: [["L", 2, 1], null, ["L", 2], null],
    Tons: [500, 20.5, null, 500],
    Flags: [["L", "red", "old"], null, ["L", "red"], null],
    Built: [86_400, null, 1e9, 0],
  });
});
afterAll(() => scratch[Symbol.dispose]());

/** Returns the result of a formula in the first row of Ships. */
function result(formula: string): unknown {
  scratch.do("AddColumn", "Ships", "F", { formula, type: "Any", isFormula: true });
  const [cell] = scratch.rows("Ships", "F")["1"] ?? [];
  scratch.do("RemoveColumn", "Ships", "F");
  return cell;
}

const error = (name: string) => ["E", name];
const list = (...items: unknown[]) => ["L", ...items];

describe("references", () => {
  test.each<[string, unknown]>([
    ["$Home", ["R", "Ports", 1]],
    ["$Home.Name", "Arica"],
    ["$Home.Land.Name.upper()", "CHILE"],
    ["$Home.id", 1],
    ["str($Home)", "Ports[1]"],
    ["$Calls", ["r", "Ports", [2, 1]]],
    ["$Calls.Name", list("Tema", "Arica")],
    ["$Calls.Land", ["r", "Lands", [2, 1]]],
    ["[p.Depth for p in $Calls if p.Depth > 10]", list(12)],
    ["$Home in $Calls", true],
    ["2 in $Calls", true],
    ["$Calls[0] == Ports.lookupOne(Name='Tema')", true],
    ["$Calls[-1].Name", "Arica"],
    ["$Calls[1:].Name", list("Arica")],
    ["$Calls[1:]", ["R", "Ports", [1]]],
    ["Ports.lookupRecords(order_by='-Depth')[:2]", ["R", "Ports", [1, 2]]],
    ["Ports.lookupRecords(Name='x')[1:]", ["R", "Ports", []]],
    ["len(Ports.all[1:])", 2],
    ["sorted(Ports.all, reverse=True)[0]", ["R", "Ports", 3]],
    ["$Home < Ports.lookupOne(Name='Tema')", true],
    ["$Home < 5", error("AttributeError")],
    ["'x' >= $Home", error("AttributeError")],
    ["GCD($Home, 2)", error("AttributeError")],
    ["$Home + 1", error("TypeError")],
    ["IFERROR($Home + 1, type($Home).__name__)", "Record"],
    ["$Calls[2]", error("IndexError")],
    ["len($Calls)", 2],
    ["$Home.Harbour", error("AttributeError")],
    ["Ships.lookupOne(id=4).Home.Land.Name", ""],
    ["bool(Ships.lookupOne(id=4).Home)", false],
    ["Ships.lookupOne(id=99).Tons", 0],
    ["rec", ["R", "Ships", 1]],
    ["rec.Home.Name", "Arica"],
    ["isinstance($Home, Ports.Record) and isinstance($Calls, Ports.RecordSet)", true],
    ["getattr($Home, 'Depth')", 12],
    ["[p.Name for p in reversed($Calls)]", list("Arica", "Tema")],
  ])("%s", (formula, expected) => expect(result(formula)).toEqual(expected));
});

describe("lookups", () => {
  test.each<[string, unknown]>([
    ["Ships.all", ["r", "Ships", [1, 2, 3, 4]]],
    ["Ships.all.Name", list("Ana", "Bo", "Cy", "Ana")],
    ["Ships.lookupRecords(Name='Ana').id", list(1, 4)],
    ["Ships.lookupRecords(Name='Ana', Home=0).id", list(4)],
    ["Ships.lookupRecords(Home=$Home).Name", list("Ana", "Cy")],
    ["Ships.lookupRecords(Home=Ports.lookupOne(Name='Tema')).Name", list("Bo")],
    ["Ships.lookupRecords(Tons='20.5').Name", list("Bo")],
    ["Ships.lookupRecords(Tons=None).Name", list("Cy")],
    ["Ships.lookupRecords(Built='1970-01-02').Name", list("Ana")],
    ["Ships.lookupRecords(Home=None).id", list(4)],
    ["Ships.lookupRecords(Flags=CONTAINS('red')).Name", list("Ana", "Cy")],
    ["Ships.lookupRecords(Flags=CONTAINS('x', match_empty='x')).id", list(2, 4)],
    ["Ships.lookupRecords(Flags=['red']).Name", list("Cy")],
    ["Ships.lookupRecords(Calls=CONTAINS(Ports.lookupOne(Name='Arica'))).Name", list("Ana")],
    ["Ships.lookupRecords(Name=CONTAINS('A')).id", list()],
    ["Ships.lookupRecords(Name=['Ana']).id", list()],
    ["Ships.lookupRecords(id=rec)", ["r", "Ships", [1]]],
    ["Ships.lookupRecords(Mast=1)", error("KeyError")],
    ["Ships.lookupRecords('Ana')", error("TypeError")],
    ["Ships.lookupOne(Name='Nobody')", ["R", "Ships", 0]],
    ["VLOOKUP(Ports, Name='Tema').Depth", 9],
    ["Ports.Name", error("AttributeError")],
    ["[p for p in Ports]", error("TypeError")],
    ["len(table.all)", 4],
    ["Harbours.all", error("NameError")],
  ])("%s", (formula, expected) => expect(result(formula)).toEqual(expected));
});

describe("orders", () => {
  test.each<[string, unknown]>([
    ["Ships.lookupRecords(order_by='Tons').id", list(3, 2, 1, 4)],
    ["Ships.lookupRecords(order_by='-Tons').id", list(1, 4, 2, 3)],
    ["Ships.lookupRecords(order_by=('Name', '-id')).id", list(4, 1, 2, 3)],
    ["Ships.lookupRecords(Name='Ana', order_by='-id').id", list(4, 1)],
    ["Ships.lookupOne(order_by='Built').Name", "Bo"],
    ["Ships.lookupRecords(sort_by='-Tons').id", list(1, 4, 2, 3)],
    ["Ships.lookupRecords(order_by=['Tons'])", error("TypeError")],
    ["Ships.lookupRecords(order_by='Mast')", error("KeyError")],
    ["Ports.lookupRecords(order_by='Depth').find.le(10).Name", "Tema"],
    ["Ports.lookupRecords(order_by='Depth').find.gt(9).Name", "Arica"],
    ["Ports.lookupRecords(order_by='-Depth').find.lt(10).Name", "Arica"],
    ["Ports.lookupRecords(order_by='Depth').find.eq(10)", ["R", "Ports", 0]],
    ["Ports.all.find.eq(10)", error("ValueError")],
    ["PREVIOUS(Ships.lookupOne(id=3), order_by='Name').Name", "Bo"],
    ["PREVIOUS(rec, group_by='Name', order_by=None)", ["R", "Ships", 0]],
    ["NEXT(rec, group_by='Name', order_by=None)", ["R", "Ships", 4]],
    ["RANK(rec, order_by='Tons', order='desc')", 2],
    ["RANK(rec)", error("TypeError")],
    ["RANK(rec, order_by='id')", error("ValueError")],
  ])("%s", (formula, expected) => expect(result(formula)).toEqual(expected));
});

test("looks up records returned by formulas by record or row id", () => {
  scratch.do("AddColumn", "Ships", "Where", { formula: "$Home", type: "Any", isFormula: true });
  expect(result("Ships.lookupRecords(Where=$Home).Name")).toEqual(list("Ana", "Cy"));
  expect(result("Ships.lookupRecords(Where=2).Name")).toEqual(list("Bo"));
  scratch.do("RemoveColumn", "Ships", "Where");
});

test("rejects PREVIOUS and NEXT of a value that is not a record", () => {
  scratch.do("UpdateRecord", "Ships", 1, { Home: "at sea" });
  expect(result("PREVIOUS($Home, order_by='Name')")).toEqual([...error("InvalidTypedValue"), "Ref", "at sea"]);
  expect(result("PREVIOUS($Tons, order_by='Name')")).toEqual(error("AttributeError"));
  scratch.do("UpdateRecord", "Ships", 1, { Home: 1 });
});

test("converts a record to a dict of its existing columns", () => {
  scratch.do("AddColumn", "Ships", "Dict", { formula: "sorted(RECORD($Home))", type: "Any", isFormula: true });
  scratch.do("AddColumn", "Ports", "Cranes", { type: "Int" });
  expect(scratch.rows("Ships", "Dict")["1"]).toEqual([list("Cranes", "Depth", "Land", "Name", "id")]);
  scratch.do("RemoveColumn", "Ports", "Cranes");
  expect(scratch.rows("Ships", "Dict")["1"]).toEqual([list("Depth", "Land", "Name", "id")]);
  scratch.do("RemoveColumn", "Ships", "Dict");
});

test("converts records to dicts", () => {
  expect(result("RECORD($Home)")).toEqual(["O", { Depth: 12, Land: ["R", "Lands", 1], Name: "Arica", id: 1 }]);
  expect(result("RECORD($Home, expand_refs=1)['Land']")).toEqual(["O", { Name: "Chile", id: 1 }]);
  expect(result("RECORD(Lands.all)[1]['Name']")).toBe("Ghana");
  expect(result("RECORD(5)")).toEqual(error("ValueError"));
});

test("computes long chains regardless of row order", () => {
  const rows = 3000;
  scratch.do("AddTable", "Steps", [{ id: "N", type: "Int" }]);
  scratch.do(
    "BulkAddRecord",
    "Steps",
    Array.from({ length: rows }, () => null),
    { N: Array.from({ length: rows }, (_, i) => i + 1) },
  );
  const sum = (order: string) => `(PREVIOUS(rec, order_by='${order}').Sum or 0) + $N`;
  scratch.do("AddColumn", "Steps", "Sum", { formula: sum("-N"), type: "Int", isFormula: true });
  expect(scratch.rows("Steps", "Sum")["1"]).toEqual([(rows * (rows + 1)) / 2]);
  scratch.do("ModifyColumn", "Steps", "Sum", { formula: sum("N") });
  expect(scratch.rows("Steps", "Sum")[String(rows)]).toEqual([(rows * (rows + 1)) / 2]);
});

test("reports a circular reference in every cell of a long cycle", () => {
  const rows = 300;
  scratch.do("AddTable", "Ring", [{ id: "To", type: "Ref:Ring" }]);
  scratch.do(
    "BulkAddRecord",
    "Ring",
    Array.from({ length: rows }, () => null),
    { To: Array.from({ length: rows }, (_, i) => ((i + 1) % rows) + 1) },
  );
  scratch.do("AddColumn", "Ring", "Sum", { formula: "$To.Sum + 1", type: "Any", isFormula: true });
  const cells = Object.values(scratch.rows("Ring", "Sum")).map(([cell]) => JSON.stringify(cell));
  expect(new Set(cells)).toEqual(new Set(['["E","CircularRefError"]']));
});

test("reports circular references for lookups by the formula's own column, and for sorting the own row by it", () => {
  const read = (formula: string, ids: readonly number[] = []) => {
    const own = { type: "RefList:Ports", isFormula: true, formula };
    scratch.do("AddColumn", "Ships", "Own", own);
    const cells = Object.entries(scratch.rows("Ships", "Own"));
    scratch.do("RemoveColumn", "Ships", "Own");
    return cells.filter(([id]) => ids.length === 0 || ids.includes(Number(id))).map(([, [cell]]) => cell);
  };
  const circular = ["E", "CircularRefError"];
  for (const formula of [
    "Ships.lookupOne(Own='x').id",
    "Ships.lookupOne(Own='x', order_by='Name').id",
    "len(Ships.lookupRecords(Name=$Name, Own=None))",
    "PREVIOUS(rec, order_by='Own')",
    "Ships.lookupRecords(Home=$Home, order_by='Own').id",
    "RANK(rec, order_by='-Own')",
  ]) {
    expect([formula, ...new Set(read(formula).map((cell) => JSON.stringify(cell)))]).toEqual([
      formula,
      JSON.stringify(circular),
    ]);
  }
  // Cells of other rows do not depend on this one.
  expect(read("Ships.lookupRecords(id=1, order_by='Own').id", [1, 2])).toEqual([circular, ["L", 1]]);
});

test("lets a trigger formula look up by its own column, reading the previous values", () => {
  const formula = "len(Ships.lookupRecords(Code=value)) + 1";
  scratch.do("AddColumn", "Ships", "Code", { type: "Int", isFormula: false, formula, recalcWhen: 2 });
  const [id] = scratch.apply([["AddRecord", "Ships", null, { Name: "Dot" }]]).retValues;
  expect(scratch.rows("Ships", "Code")[String(id)]?.[0]).toBeNumber();
});

test("recomputes after changes in another table, through references, lookups and sort orders", () => {
  const add = (id: string, formula: string) =>
    scratch.do("AddColumn", "Ports", id, { formula, type: "Any", isFormula: true });
  add("Fleet", "SUM(Ships.lookupRecords(Home=$id).Tons)");
  add("Largest", "Ships.lookupOne(Home=$id, order_by='-Tons').Name");
  add("Where", "'%s, %s' % ($Name, $Land.Name)");
  const read = () => scratch.rows("Ports", "Fleet", "Largest", "Where");
  expect(read()).toMatchObject({ 1: [500, "Ana", "Arica, Chile"], 2: [20.5, "Bo", "Tema, Ghana"] });
  scratch.do("UpdateRecord", "Ships", 3, { Tons: 700 });
  expect(read()).toMatchObject({ 1: [1200, "Cy", "Arica, Chile"] });
  scratch.do("UpdateRecord", "Ships", 3, { Home: 2 });
  expect(read()).toMatchObject({ 1: [500, "Ana", "Arica, Chile"], 2: [720.5, "Cy", "Tema, Ghana"] });
  scratch.do("UpdateRecord", "Lands", 2, { Name: "Togo" });
  expect(read()).toMatchObject({ 2: [720.5, "Cy", "Tema, Togo"] });
  scratch.do("RemoveRecord", "Ships", 3);
  expect(read()).toMatchObject({ 2: [20.5, "Bo", "Tema, Togo"] });
  scratch.do("AddRecord", "Ships", null, { Name: "Di", Home: 3, Tons: 1 });
  expect(read()).toMatchObject({ 3: [1, "Di", "Nowhere, "] });
});

test("a lookup that failed without its sort column is recomputed when the column is added", () => {
  const formula = "Ships.lookupRecords(Name=CONTAINS($Name), order_by='-Tons').id";
  scratch.do("AddColumn", "Ports", "Found", { formula, type: "Any", isFormula: true });
  const before = scratch.rows("Ports", "Found")[1];
  scratch.do("RemoveColumn", "Ships", "Tons");
  expect(scratch.rows("Ports", "Found")[1]).toEqual(before);
  scratch.do("UpdateRecord", "Ports", 1, { Name: "elsewhere" });
  expect(scratch.rows("Ports", "Found")[1]).toEqual([["E", "KeyError"]]);
  scratch.do("AddColumn", "Ships", "Tons", { type: "Numeric", isFormula: false });
  expect(scratch.rows("Ports", "Found")[1]).toEqual([["L"]]);
});

test("PEEK records no dependencies", () => {
  scratch.do("AddColumn", "Lands", "Seen", { formula: "PEEK(Ports.lookupOne(Land=$id).Depth)", isFormula: true });
  scratch.do("UpdateRecord", "Ports", 1, { Depth: 30 });
  expect(scratch.rows("Lands", "Seen")).toMatchObject({ 1: [12] });
  scratch.do("ModifyColumn", "Lands", "Seen", { formula: "PEEK(Ports.lookupOne(Land=$id).Depth) + 0" });
  expect(scratch.rows("Lands", "Seen")).toMatchObject({ 1: [30] });
});

test("trigger formulas read the user and keep their last value when they fail", () => {
  const trigger = (id: string, formula: string) =>
    scratch.do("AddColumn", "Lands", id, { formula, type: "Text", isFormula: false, recalcWhen: 2 });
  trigger("By", "'%s %s %s' % (user.Name, user.Access, user.LinkKey.k if hasattr(user.LinkKey, 'k') else '-')");
  trigger("Log", "(value or '') + $Name[0]");
  scratch.do("UpdateRecord", "Lands", 1, { Name: "Peru" });
  expect(scratch.rows("Lands", "By", "Log")).toMatchObject({ 1: ["Ann owners -", "P"] });
  scratch.do("UpdateRecord", "Lands", 1, { Name: "" });
  const [, failed] = scratch.rows("Lands", "By", "Log")["1"] ?? [];
  expect(failed).toMatchObject(["E", "IndexError", expect.any(String), null, { u: "P" }]);
  scratch.do("UpdateRecord", "Lands", 1, { Name: "Cuba" });
  expect(scratch.rows("Lands", "Log")).toMatchObject({ 1: ["PC"] });
  scratch.do("AddColumn", "Lands", "Plain", { formula: "user.Name", isFormula: true });
  expect(scratch.rows("Lands", "Plain")).toMatchObject({ 1: [error("NameError")] });
});
