import { expect, test } from "bun:test";
import { errorSpan } from "../../src/web/pages/sql/client/error-span.ts";
import { columnsInScope } from "../../src/web/pages/sql/client/columns-in-scope.ts";
import { inputOf, parseParameterValue, type ParameterValue } from "../../src/web/pages/sql/client/parameters.ts";

test.each<[string, string, string | null]>([
  ["select Nme from Bread", "no such column: Nme", "Nme"],
  ["select b.Nme from Bread b", "no such column: b.Nme", "b.Nme"],
  ["select 'Nme', nme from Bread -- Nme", "no such column: nme", "nme"],
  ["select * frm Bread", 'near "frm": syntax error', "frm"],
  ["select * from from", 'near "from": syntax error', null],
  ["select * from Bred", "no such table: Bred", "Bred"],
  ["select foo(1)", "no such function: foo", "foo"],
  ["select $( from x", "no such column: $(", "$"],
  ["select 1", "The query takes too long", null],
  ["select", "incomplete input", null],
])("the place of an error in %s: %s", (sql, message, part) => {
  const span = errorSpan(sql, message);
  expect(span && sql.slice(span.from, span.to)).toBe(part);
});

test.each<[ParameterValue]>([
  ["a"],
  ["12"],
  ["'a'"],
  [""],
  ["null"],
  ["true"],
  [1.5],
  [-2],
  [true],
  [false],
  [null],
  [" x "],
])("the value %p has an input that is parsed as it", (value) => {
  expect(parseParameterValue(inputOf(value))).toBe(value);
});

const column = (id: string) => ({ id, name: id, type: "Text" });
const TABLES = [
  { id: "Bread", title: "Bread", columns: [column("id"), column("Name"), column("Price")] },
  { id: "Orders", title: "Orders", columns: [column("id"), column("Total")] },
  { id: "constructor", title: "constructor", columns: [column("__proto__")] },
];

test.each([
  ["select  from Bread", ["id", "Name", "Price"]],
  ["select  from bread b join Orders o", ["id", "Name", "Price", "Total"]],
  ["select 'Bread' from Orders -- Bread", ["id", "Total"]],
  ["select from constructor", ["__proto__"]],
  ["select ", ["id", "Name", "Price", "Total", "__proto__"]],
])("the columns of %s", (sql, expected) => {
  expect(columnsInScope(sql, TABLES).map(({ id }) => id)).toEqual(expected);
});
