import { describe, expect, test } from "bun:test";
import { findNameReferences } from "../../../src/formula/names/reference-finder.ts";
import { applyNameReplacement, type NameReplacement } from "../../../src/formula/names/apply-name-replacement.ts";
import { SHOP } from "./shop.ts";

const renamed = (formula: string, renaming: NameReplacement, owner = "Orders") =>
  applyNameReplacement(formula, findNameReferences(formula, owner, SHOP), renaming);

const CLIENT_NAME: NameReplacement = { table: "Clients", column: "Name", to: "Title" };
const ORDER_NAME: NameReplacement = { table: "Orders", column: "Name", to: "Code" };

/** Tests renaming in formulas of Orders. `after` is omitted where the formula must not change. */
const rename = (
  subject: string,
  renaming: NameReplacement,
  cases: readonly (readonly [before: string, after?: string])[],
) =>
  describe(subject, () => {
    test.each(cases.map(([before, after = before]) => [before, after]))("in %j", (before, after) => {
      expect(renamed(before, renaming)).toBe(after);
    });
  });

rename("columns of the formula's own table", ORDER_NAME, [
  ["$Name + rec.Name", "$Code + rec.Code"],
  ["rec . Name", "rec . Code"],
  ["(rec\n  # the record's Name\n  .Name)", "(rec\n  # the record's Name\n  .Code)"],
  ["rec.\\\n  Name", "rec.\\\n  Code"],
  ["$Name.upper().Name", "$Code.upper().Name"],
  ["$Names + $name + Name"],
  ["  $Name\r\n  $Name", "  $Code\r\n  $Code"],
  ["\tx = 'é𝒳'  # ü\r\n\r\n\treturn x + $Name", "\tx = 'é𝒳'  # ü\r\n\r\n\treturn x + $Code"],
  ["'$Name' + \"rec.Name\" + '''$Name''' # $Name", "'$Name' + \"rec.Name\" + '''$Name''' # $Name"],
  ["f'{$Name} $Name {{$Name}} {$Name!r:>{$Name}}'", "f'{$Code} $Name {{$Name}} {$Code!r:>{$Code}}'"],
  ["f'{$Name=}' f\"{f'{rec.Name}'}\"", "f'{$Code=}' f\"{f'{rec.Code}'}\""],
  ["{'Name': $Name, $Name: 1}['Name']", "{'Name': $Code, $Code: 1}['Name']"],
  ["dict(Name=$Name)", "dict(Name=$Code)"],
  ["getattr(rec, 'Name')"],
  ["Name = $Name\nreturn Name", "Name = $Code\nreturn Name"],
  ["IF($Name, lambda: $Name, lambda: rec.Name)", "IF($Code, lambda: $Code, lambda: rec.Code)"],
  ["def f(a=$Name):\n  return a + $Name\nf()", "def f(a=$Code):\n  return a + $Code\nf()"],
  [
    "class A:\n  x = $Name\n  def f(self):\n    return rec.Name\nA().x",
    "class A:\n  x = $Code\n  def f(self):\n    return rec.Code\nA().x",
  ],
]);

test("renames a column in every kind of statement", () => {
  const formula = [
    "if $Name: pass",
    "elif $Name: pass",
    "else: $Name",
    "while $Name:",
    "  x[$Name] = y.z = $Name",
    "  x += $Name",
    "  del x[$Name]",
    "for i, y.z in $Name: continue",
    "else: $Name",
    "try: $Name",
    "except $Name: $Name",
    "else: $Name",
    "finally: $Name",
    "with $Name as x: $Name",
    "assert $Name, $Name",
    "@$Name",
    "def f(*, a=$Name): yield $Name",
    "class A(f($Name)): $Name",
    "match $Name:",
    "  case {'a': rec.Name, **others} if $Name: $Name",
    "  case A(rec.Name) | [rec.Name, *x] as y: raise $Name from $Name",
    "  case rec . Name: import math",
    "x[$Name:$Name, $Name:1, ...] = *$Name, 1",
    "{$Name, *$Name}, [$Name], {**$Name}, not $Name, -$Name, $Name < $Name in $Name, $Name and $Name, f(*$Name, **$Name)",
    "return $Name if $Name else (yield $Name), (z := $Name), {a: $Name for a in $Name if $Name}, (yield)",
  ].join("\n");
  expect(renamed(formula, ORDER_NAME)).toBe(formula.replaceAll(/(\$|rec ?\. ?)Name/g, "$1Code"));
});

rename("columns of another table through references", CLIENT_NAME, [
  ["$Client.Name + $Name", "$Client.Title + $Name"],
  ["$Client.Boss.Boss.Name", "$Client.Boss.Boss.Title"],
  ["$Payers.Name", "$Payers.Title"],
  ["$Payers.Boss.Name + $Payers.Friends.Name", "$Payers.Boss.Title + $Payers.Friends.Title"],
  ["$Payers[0].Name + $Payers[1:].Name", "$Payers[0].Title + $Payers[1:].Title"],
  ["rec.Client.Newest.Client.Name", "rec.Client.Newest.Client.Title"],
  ["rec.Client.Newest.Name"],
  ["$Client.Own.Client.Name + $Payers.Own.Client.Name", "$Client.Own.Client.Title + $Payers.Own.Client.Title"],
  ["$Chief.Name + $Before.Chief.Name", "$Chief.Title + $Before.Chief.Title"],
  ["$Client.Round.Name + $Client.Text.Client.Name + $Client.Data.Name + $Client.Nowhere.Name"],
  ["($Client).Name + ($Client if $Name else None).Name", "($Client).Title + ($Client if $Name else None).Title"],
  [
    "($Client or $Client.Boss).Name + ($Name and $Client).Name",
    "($Client or $Client.Boss).Title + ($Name and $Client).Title",
  ],
  ["IF($Name, $Client, None).Name", "IF($Name, $Client, None).Title"],
  ["PEEK($Client).Name + IFERROR($Client, 0).Name", "PEEK($Client).Title + IFERROR($Client, 0).Title"],
  ["($Client,)[0].Name + [$Client][-1].Name", "($Client,)[0].Title + [$Client][-1].Title"],
]);

rename("columns of another table through variables", CLIENT_NAME, [
  ["c = $Client\nif c:\n  return c.Name\nreturn ''", "c = $Client\nif c:\n  return c.Title\nreturn ''"],
  ["c = None\nif $Name:\n  c = $Client\nreturn c.Name", "c = None\nif $Name:\n  c = $Client\nreturn c.Title"],
  ["a = b = $Client\nb.Name + a.Name", "a = b = $Client\nb.Title + a.Title"],
  ["c, o = $Client, rec\nc.Name + o.Name", "c, o = $Client, rec\nc.Title + o.Name"],
  ["(c, *d), e = ($Client, 1), $Client\nc.Name + e.Name", "(c, *d), e = ($Client, 1), $Client\nc.Name + e.Title"],
  ["(c := $Client) and c.Name", "(c := $Client) and c.Title"],
  ["[c.Name for x in [1] if (c := $Client)] + [c.Name]", "[c.Title for x in [1] if (c := $Client)] + [c.Title]"],
  ["c = $Client\nc.Name\nc = rec\nreturn c.Name", "c = $Client\nc.Title\nc = rec\nreturn c.Name"],
  ["c = $Client\nc = c.Name\nreturn c.Name", "c = $Client\nc = c.Title\nreturn c.Name"],
  [
    "if $Name:\n  c = rec\n  return c.Name\nelse:\n  c = $Client\nreturn c.Name",
    "if $Name:\n  c = rec\n  return c.Name\nelse:\n  c = $Client\nreturn c.Title",
  ],
  [
    "try:\n  c = $Client\nexcept Exception:\n  c = None\nelse:\n  c.Name\nreturn c.Name",
    "try:\n  c = $Client\nexcept Exception:\n  c = None\nelse:\n  c.Title\nreturn c.Title",
  ],
  [
    "c = $Client\nwhile c.Boss:\n  c = c.Boss\n  c.Name\nreturn c.Name",
    "c = $Client\nwhile c.Boss:\n  c = c.Boss\n  c.Title\nreturn c.Title",
  ],
  [
    "a = b = c = None\nfor i in range(3):\n  if c: c.Name\n  c = b\n  b = a\n  a = $Client\nreturn 1",
    "a = b = c = None\nfor i in range(3):\n  if c: c.Title\n  c = b\n  b = a\n  a = $Client\nreturn 1",
  ],
  ["def f():\n  return c.Name\nc = $Client\nreturn f()", "def f():\n  return c.Title\nc = $Client\nreturn f()"],
  ["def f():\n  return $Client\nf().Name", "def f():\n  return $Client\nf().Title"],
  [
    "c = None\ndef f():\n  nonlocal c\n  c = $Client\nf()\nreturn c.Name",
    "c = None\ndef f():\n  nonlocal c\n  c = $Client\nf()\nreturn c.Title",
  ],
  [
    "class A:\n  c = $Client\n  d = c.Name\n  def f(self):\n    return c.Name\nA.d",
    "class A:\n  c = $Client\n  d = c.Title\n  def f(self):\n    return c.Name\nA.d",
  ],
  [
    "match $Client:\n  case c if c.Name:\n    x = c.Name\nreturn x",
    "match $Client:\n  case c if c.Title:\n    x = c.Title\nreturn x",
  ],
  ["c = $Client\ndel c\nc.Name"],
  ["c = $Client\nimport math as c\nc.Name"],
  ["c = $Client\nwith x as c:\n  c.Name\n1"],
  ["c = $Client\nf = lambda c: c.Name\nf(1)"],
  ["(lambda c: c.Name)($Client)"],
  ["def f(c, *d, e, **g):\n  return c.Name + d.Name + e.Name + g.Name\nf($Client)"],
  ["c = $Client\n[c.Name for c in [1]]"],
  ["x.c = $Client\nx.c.Name"],
  ["[c.Name for c in $Payers]"],
  ["for c in $Payers:\n  c.Name\n1"],
  ["cs = Clients.all\n[c.Name for c in cs]"],
]);

rename("columns of another table through look-ups", CLIENT_NAME, [
  ["Clients.lookupOne(Name=$Name).Name", "Clients.lookupOne(Title=$Name).Title"],
  ["Clients.lookupRecords ( Name = $Name , City=1)", "Clients.lookupRecords ( Title = $Name , City=1)"],
  ["Clients.lookupRecords(Friends=CONTAINS(Name=1)).Name", "Clients.lookupRecords(Friends=CONTAINS(Name=1)).Title"],
  ["Orders.lookupOne(Name=1).Client.Name", "Orders.lookupOne(Name=1).Client.Title"],
  ["sum(Clients.all.Name)", "sum(Clients.all.Title)"],
  ["VLOOKUP(Clients, Name=1).Name", "VLOOKUP(Clients, Title=1).Title"],
  ["f = Clients.lookupOne\nf(Name=1).Name", "f = Clients.lookupOne\nf(Title=1).Title"],
  ["c = Clients.lookupRecords(City='x')\nc.Name", "c = Clients.lookupRecords(City='x')\nc.Title"],
  ["Clients.lookupRecords(order_by='Name')", "Clients.lookupRecords(order_by='Title')"],
  ["Clients.lookupOne(order_by=('City', r\"-Name\"))", "Clients.lookupOne(order_by=('City', r\"-Title\"))"],
  [
    "Clients.lookupOne(order_by='Name' if $Name else '''-Name''')",
    "Clients.lookupOne(order_by='Title' if $Name else '''-Title''')",
  ],
  ["Clients.lookupOne(order_by='Na' 'me')"],
  ["Clients.lookupOne(order_by='\\x4eame')"],
  ["Clients.lookupOne(sort_by='Name', group_by='Name')"],
  ["Clients.lookupOne(**{'Name': 1})"],
  ["table.lookupOne(Name=1).Name"],
  ["Clients.lookupRecords(order_by='City').find.le(5).Name", "Clients.lookupRecords(order_by='City').find.le(5).Title"],
  [
    "c = Clients.lookupRecords()\nc._find.previous(c[0]).Name",
    "c = Clients.lookupRecords()\nc._find.previous(c[0]).Title",
  ],
  ["[c.Name for c in Clients.all if c.Name]", "[c.Title for c in Clients.all if c.Title]"],
  ["{c.Name: o.Name for c in Clients.all for o in c.Own}", "{c.Title: o.Name for c in Clients.all for o in c.Own}"],
  [
    "[o.Name + c.Name for c in Clients.all for o in Orders.lookupRecords(Client=c)]",
    "[o.Name + c.Title for c in Clients.all for o in Orders.lookupRecords(Client=c)]",
  ],
  [
    "for c in Clients.lookupRecords():\n  x = c\nreturn x.Name",
    "for c in Clients.lookupRecords():\n  x = c\nreturn x.Title",
  ],
  [
    "for i, c in enumerate(sorted(Clients.all)):\n  c.Name\n1",
    "for i, c in enumerate(sorted(Clients.all)):\n  c.Title\n1",
  ],
  [
    "[c.Name + o.Name for c, o in zip(Clients.all, Orders.all)]",
    "[c.Title + o.Name for c, o in zip(Clients.all, Orders.all)]",
  ],
  ["sorted(Clients.all, key=lambda c: c.Name)[0].Name", "sorted(Clients.all, key=lambda c: c.Name)[0].Title"],
  ["next(c for c in Clients.all if c.Name).Name", "next(c for c in Clients.all if c.Title).Title"],
  ["max($Payers, key=len).Name + max($Client, 1).Name", "max($Payers, key=len).Title + max($Client, 1).Title"],
]);

rename("columns of neighbouring records", ORDER_NAME, [
  ["PREVIOUS(rec, order_by='Name').Name", "PREVIOUS(rec, order_by='Code').Code"],
  [
    "NEXT(rec, group_by=('City', 'Name'), order_by=\"-Name\")",
    "NEXT(rec, group_by=('City', 'Code'), order_by=\"-Code\")",
  ],
  ["RANK(rec=rec, order_by='Name', order='Name')", "RANK(rec=rec, order_by='Code', order='Name')"],
  ["PREVIOUS($Client, order_by='Name').Name"],
  ["PREVIOUS = f\nPREVIOUS(rec, order_by='Name').Name"],
]);

rename("tables", { table: "Clients", to: "Customers" }, [
  ["Clients.lookupOne(Name='Clients') # Clients", "Customers.lookupOne(Name='Clients') # Clients"],
  ["[Clients.all for Client in [Clients]]", "[Customers.all for Client in [Customers]]"],
  ["f'{len(Clients.all)} Clients'", "f'{len(Customers.all)} Clients'"],
  ["VLOOKUP(Clients, Clients=1)", "VLOOKUP(Customers, Clients=1)"],
  ["$Clients.Clients + rec.Clients"],
  ["Clients = 1\nreturn Clients"],
  ["[Clients for Clients in Orders.all] + [Clients]", "[Clients for Clients in Orders.all] + [Customers]"],
  ["(lambda Clients: Clients)(Clients)", "(lambda Clients: Clients)(Customers)"],
  [
    "def f(x=Clients):\n  Clients = 1\n  return Clients\nf() + Clients",
    "def f(x=Customers):\n  Clients = 1\n  return Clients\nf() + Customers",
  ],
  [
    "class A:\n  Clients = 1\n  def f(self):\n    return Clients.all\nA()",
    "class A:\n  Clients = 1\n  def f(self):\n    return Customers.all\nA()",
  ],
  [
    "def f(a: Clients, *b: list[Clients], c: 'Clients' = 1) -> Clients | None:\n  return a\nf($Client)",
    "def f(a: Customers, *b: list[Customers], c: 'Clients' = 1) -> Customers | None:\n  return a\nf($Client)",
  ],
  ["isinstance($Client, Clients)", "isinstance($Client, Customers)"],
  ["ＣＬients + Ｃlients.all", "ＣＬients + Customers.all"],
]);

test("renames columns of the source table in summary tables", () => {
  const formula = "SUM($group.Name) + $group.Client.Name + $City + $Name";
  expect(renamed(formula, ORDER_NAME, "Orders_summary_City")).toBe(
    "SUM($group.Code) + $group.Client.Name + $City + $Name",
  );
  expect(renamed(formula, CLIENT_NAME, "Orders_summary_City")).toBe(
    "SUM($group.Name) + $group.Client.Title + $City + $Name",
  );
});

rename("nothing in invalid formulas", ORDER_NAME, [
  ["$Name +"],
  ["$Name)"],
  ["if $Name:\nreturn 1"],
  ["x = $Name"],
  ["# $Name"],
  ["'$Name"],
  [""],
]);

rename("columns next to unsupported Python", ORDER_NAME, [
  ["'\\N{EM DASH}' + $Name", "'\\N{EM DASH}' + $Code"],
  ["f'\\N{EM DASH}{$Name}' + '\\\\N' + f'\\\\N{$Name}'", "f'\\N{EM DASH}{$Code}' + '\\\\N' + f'\\\\N{$Code}'"],
  ["2j + $Name", "2j + $Code"],
  ["$Na\\N{DASH}me + $Name"],
]);
