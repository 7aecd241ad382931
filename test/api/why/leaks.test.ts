/**
 * Explanations must not reveal data that access rules hide, although the formulas that they evaluate read it. For each
 * kind of hidden data there are two documents that differ only in it. The results of the formulas are the same in both;
 * what they read, cost and fail with depends on the hidden data.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { addingRules } from "../../doc/rules/ruled.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { TestClock } from "../../helpers/clock.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";
import { COLUMNS } from "../leaks/guesses.ts";
import { BASE, GROUPED_BY, type Kind, KINDS, NO_STRUCTURE, type Side } from "../leaks/scene.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ clock: new TestClock(), flags: { "doc-threads": "0", durability: "normal" } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Each has the same results in both documents. */
const TRAPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Items: {
    Branch: "x = $Title if $Secret in ('left', 'l') else $Amount\nreturn 1",
    Rows: "x = [r.Title for r in Items.lookupRecords(City=$City, order_by='-Amount')]\nreturn 2",
    Far: "x = $Link.Name\ny = $Link.Pay\nreturn 3",
    Cost: "x = 0\nfor i in range(2000 if $Secret == 'left' or $Link.Name == 'left' else 1):\n  x += i\nreturn 4",
    Fails: "x = $Title\nraise ValueError(str($Secret) + str($Amount) + $City)",
    Caught:
      "try:\n  x = 1 / (0 if $Secret == 'left' else 1)\n  y = $Title\nexcept ZeroDivisionError:\n  y = $Amount\nreturn 5",
    Vaults: "x = Vault.lookupOne(Key='left').Key\ny = len(Vault.all)\nz = $Title\nreturn 6",
    Found: "x = People.lookupRecords(Name='left')\nreturn 7 if x is not None else $Title",
    All: "x = RECORD(rec)\nreturn 8",
    Names: "x = [getattr(rec, c) for c in ('Title', 'Secret', 'City')]\nreturn 9",
    Nested: "x = str($Fails) if $Amount < 0 else $Branch\nreturn 10",
    Group: "x = Items_summary_City.lookupOne(City=$City).Amount\nreturn 11",
  },
  People: {
    Backwards: "x = [i.Title for i in Items.lookupRecords(Link=$id)]\nreturn 1",
    Contained: "x = len(Items.lookupRecords(Links=CONTAINS($id)))\nreturn 2",
  },
  Items_summary_City: {
    Sum: "x = SUM($group.Amount)\nreturn 1",
    Titles: "x = [r.Title for r in $group]\nreturn 2",
  },
};

interface Columns {
  columns: { id: string; fields: { colRef: number; parentId: number } }[];
}

async function makeDocument(kind: Kind, side: Side): Promise<string> {
  const { doc } = await createSharedFixture(server);
  const apply = (actions: readonly UserAction[]) => server.must("POST", `${doc}/apply`, actions);
  await apply(BASE);
  const { columns } = await server.must<Columns>("GET", `${doc}/tables/Items/columns`);
  const refOf = (name: string) => columns.find(({ id }) => id === name)?.fields.colRef ?? 0;
  const source = columns[0]?.fields.parentId;
  await apply(GROUPED_BY.map((id) => ["CreateViewSection", source, 0, "record", [refOf(id)], null]));
  await apply(
    Object.entries(TRAPS).flatMap(([table, traps]) =>
      Object.entries(traps).map(([id, formula]) => ["AddColumn", table, id, { type: "Any", isFormula: true, formula }]),
    ),
  );
  await apply(kind.differs(side));
  await apply(addingRules({ ...NO_STRUCTURE, ...kind.rules }));
  return doc;
}

/** Rows that are visible, hidden, different between the documents, and missing. */
const ROWS = [1, 2, 4, 5, 99];
const TABLES = [...new Set([...Object.keys(COLUMNS), ...Object.keys(TRAPS)])];
const CELLS = TABLES.flatMap((table) =>
  [...(COLUMNS[table] ?? []), ...Object.keys(TRAPS[table] ?? {}), "Nope"].flatMap((column) =>
    ROWS.map((row) => `${table}/${row}/${column}`),
  ),
);

async function answerOf(as: Caller, doc: string, cell: string) {
  const { status, body, headers } = await server.call(as, "GET", `${doc}/cells/${cell}/why?limit=50`);
  const rest = Object.fromEntries([...headers].filter(([name]) => name !== "x-request-id"));
  return { cell, status, body: JSON.stringify(body), rest };
}

const NOT_FOUND = JSON.stringify({ error: "Cell not found", details: { code: "cell.not_found" } });

describe.each(KINDS)("$name", (kind) => {
  let docs: string[];
  beforeAll(async () => {
    docs = [await makeDocument(kind, 0), await makeDocument(kind, 1)];
  });

  test("is not revealed by explanations, which the owner's reveal", async () => {
    let found = 0;
    for (const cell of CELLS) {
      const [left, right] = await Promise.all(docs.map((doc) => answerOf("editor", doc, cell)));
      expect(left).toEqual(right as typeof left & object);
      if (left?.status === 200) found++;
      else expect(left).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(found).toBeGreaterThan(40);
    const proofs = CELLS.filter((cell) => /^(Items|People|Vault)\/[1245]\//.test(cell));
    let differences = 0;
    for (const cell of proofs) {
      const [left, right] = await Promise.all(docs.map((doc) => answerOf("owner", doc, cell)));
      if (left?.body !== right?.body) differences++;
    }
    expect(differences).toBeGreaterThan(0);
  }, 60_000);
});

test("explanations of the editor without rules are those of the owner", async () => {
  const { doc } = await createSharedFixture(server);
  await server.must("POST", `${doc}/apply`, BASE);
  for (const cell of ["Items/1/Title", "People/2/Name", "Nope/1/Title", "Items/99/Title", "Items/x/Title"]) {
    expect(await answerOf("editor", doc, cell)).toEqual(await answerOf("owner", doc, cell));
  }
});
