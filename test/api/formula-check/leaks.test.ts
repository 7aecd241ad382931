/** Checks of formulas must not reveal data that access rules hide from a caller who may change columns. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { addingRules } from "../../doc/rules/ruled.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { TestClock } from "../../helpers/clock.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";
import { BASE, type Kind, KINDS, type Side } from "../leaks/scene.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ clock: new TestClock(), flags: { "doc-threads": "0", durability: "normal" } });
});
afterAll(() => server[Symbol.asyncDispose]());

const FORMULAS: readonly (readonly [table: string, formula: string])[] = [
  ["Items", "$Secret"],
  ["Items", "$Sekret"],
  ["Items", "getattr(rec, 'Secret', 'none')"],
  ["Items", "$Amount"],
  ["Items", "$City"],
  ["Items", "str($Title) + str($Amount)"],
  ["Items", "$Link.Pay"],
  ["Items", "$Link.Name"],
  ["Items", "1 / (0 if $Secret == 'left' else 1)"],
  ["Items", "try:\n  return $Secret\nexcept:\n  return 'caught'"],
  ["Items", "len(Items.all)"],
  ["Items", "[r.Title for r in Items.lookupRecords(City=$City, order_by='-Amount')]"],
  ["Items", "Items.lookupOne(Secret='left').id"],
  ["Items", "Vault.lookupOne(Key='left').Key"],
  ["Items", "len(Vault.all)"],
  ["Items", "Vaults.all"],
  ["Items", "RECORD(rec)"],
  ["Items", "dir(rec)"],
  ["Items", "$Nope"],
  ["People", "[i.Title for i in Items.lookupRecords(Link=$id)]"],
  ["People", "$Pay"],
  ["Vault", "$Key"],
];
const ROWS = [1, 2, 4, 5, 99];

async function makeDocument(kind: Kind, side: Side): Promise<string> {
  const { doc } = await createSharedFixture(server);
  const apply = (actions: readonly UserAction[]) => server.must("POST", `${doc}/apply`, actions);
  await apply(BASE);
  await apply(kind.differs(side));
  await apply(addingRules(kind.rules));
  return doc;
}

async function answerOf(as: Caller, doc: string, table: string, body: object) {
  const { status, body: answer } = await server.call(as, "POST", `${doc}/tables/${table}/formulas/check`, body);
  return { ...body, table, status, answer: JSON.stringify(answer) };
}

describe.each(KINDS)("$name", (kind) => {
  test("is not revealed by checks of formulas, which the owner's reveal", async () => {
    const docs = [await makeDocument(kind, 0), await makeDocument(kind, 1)];
    let differences = 0;
    let answered = 0;
    for (const [table, formula] of FORMULAS) {
      for (const row of ROWS) {
        const [left, right] = await Promise.all(docs.map((doc) => answerOf("editor", doc, table, { formula, row })));
        expect(left).toEqual(right as typeof left & object);
        if (left?.status === 200) answered++;
        const [mine, other] = await Promise.all(docs.map((doc) => answerOf("owner", doc, table, { formula, row })));
        if (mine?.answer !== other?.answer) differences++;
      }
    }
    expect(answered).toBeGreaterThan(40);
    expect(differences).toBeGreaterThan(0);
  }, 60_000);
});

test("hidden columns are the same as missing ones", async () => {
  const { doc } = await createSharedFixture(server);
  await server.must("POST", `${doc}/apply`, BASE);
  await server.must(
    "POST",
    `${doc}/apply`,
    addingRules({ "Items:Secret": [{ formula: "user.Access != OWNER", permissions: "-R" }] }),
  );
  const problemsOf = async (formula: string) => {
    const { body } = await server.call("editor", "POST", `${doc}/tables/Items/formulas/check`, { formula, row: 1 });
    return (body as { problems: { suggestion: unknown }[] }).problems;
  };
  expect(await problemsOf("$Secret")).toMatchObject([{ kind: "column", name: "Secret", suggestion: null }]);
  expect(await problemsOf("$Secrte")).toMatchObject([{ kind: "column", name: "Secrte", suggestion: null }]);
});
