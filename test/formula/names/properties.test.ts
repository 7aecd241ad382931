import { expect, test } from "bun:test";
import { findNameReferences } from "../../../src/formula/names/reference-finder.ts";
import type { NameReference } from "../../../src/formula/names/name-references.ts";
import { applyNameReplacement, type NameReplacement } from "../../../src/formula/names/apply-name-replacement.ts";
import { Random } from "../../helpers/random.ts";
import { renamedTables, SHOP } from "./shop.ts";
import { randomRuns } from "../../helpers/random-runs.ts";

/** A few in every run, with a different seed each time; any number when run manually. */
const SEQUENCES = randomRuns(100, 300);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

const ATOMS = "$Client $Name $Payers $Before $Chief rec c x o Clients Orders Clients.all Orders.lookupRecords 'Name' 1";
const ATTRIBUTES = "Name City Boss Client Payers Own Newest find.lt all lookupOne upper";

/** Generates syntactically valid formulas, whatever they evaluate to. */
class Formulas {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  formula(): string {
    const statements = Array.from({ length: 1 + this.#random.below(4) }, () => this.#statement(""));
    return `${statements.join("\n")}\nreturn ${this.#expression(3)}`;
  }

  #statement(indent: string): string {
    const value = () => this.#expression(2);
    const variable = () => this.#random.pick(["c", "x", "o", "Clients"]);
    const block = () => this.#statement(`${indent}  `);
    const shape = this.#random.below(indent.length < 6 ? 9 : 4);
    if (shape < 3) return `${indent}${variable()} = ${value()}`;
    if (shape === 3) return `${indent}c, x = ${value()}, ${value()}`;
    if (shape === 4) return `${indent}if ${value()}:\n${block()}\n${indent}else:\n${block()}`;
    if (shape === 5) return `${indent}for ${variable()} in ${value()}:\n${block()}`;
    if (shape === 6) return `${indent}while ${value()}:\n${block()}\n${block()}`;
    if (shape === 7) return `${indent}def f(${variable()}=${value()}):\n${block()}\n${indent}  return ${value()}`;
    return `${indent}try:\n${block()}\n${indent}except:  # Name\n${block()}`;
  }

  #expression(depth: number): string {
    const inner = () => this.#expression(depth - 1);
    const attribute = () => this.#random.pick(ATTRIBUTES.split(" "));
    if (depth === 0) return this.#random.pick(ATOMS.split(" "));
    switch (this.#random.below(12)) {
      case 0:
        return `(${inner()} if ${inner()} else ${inner()})`;
      case 1:
        return `[${inner()} for ${this.#random.pick(["c", "x", "Orders"])} in ${inner()} if ${inner()}]`;
      case 2:
        return `${this.#random.pick(["Clients", "Orders"])}.lookupOne(Name=${inner()}, order_by=("-City", 'Name'))`;
      case 3:
        return `PREVIOUS(${inner()}, group_by="Client", order_by='-Name')`;
      case 4:
        return `(lambda c: ${inner()})(${inner()})`;
      case 5:
        return `(c := ${inner()})`;
      case 6:
        return `f"""{${inner()}:>{1}}"""`.replaceAll("\\", "");
      case 7:
        return `(${inner()} or ${inner()})`;
      default:
        return `(${inner()}).${attribute()}`;
    }
  }
}

const RENAMINGS: readonly NameReplacement[] = [
  { table: "Clients", column: "Name", to: "Title" },
  { table: "Clients", column: "Boss", to: "Lead" },
  { table: "Orders", column: "City", to: "Place_of_delivery" },
  { table: "Orders", column: "Client", to: "C" },
  { table: "Clients", to: "Customers" },
  { table: "Orders", to: "T" },
];

const inverse = (renaming: NameReplacement): NameReplacement =>
  "column" in renaming
    ? { ...renaming, column: renaming.to, to: renaming.column }
    : { table: renaming.to, to: renaming.table };

const exists = (reference: NameReference): boolean =>
  reference.kind !== "column" || SHOP.tableById.get(reference.table)?.columnById.has(reference.column) === true;

const nameOf = (reference: NameReference): string =>
  reference.kind === "table" ? reference.table : reference.kind === "column" ? reference.column : reference.name;

/** A reference without its span, under the name it has after a renaming. */
function expectedAfter(reference: NameReference, { table, to, ...more }: NameReplacement): object {
  if (reference.kind === "attribute") return { name: reference.name };
  if ("column" in more) {
    const isRenamed = reference.kind === "column" && reference.table === table && reference.column === more.column;
    return {
      table: reference.table,
      ...(reference.kind === "column" && { column: isRenamed ? to : reference.column }),
    };
  }
  const own = reference.table === table ? to : reference.table;
  return { table: own, ...(reference.kind === "column" && { column: reference.column }) };
}

test(`renaming updates all references and is reversible (QUERN_TEST_SEED=${seed})`, () => {
  const random = new Random(seed);
  const formulas = new Formulas(random);
  let renamedCount = 0;
  for (let i = 0; i < SEQUENCES; i++) {
    const formula = formulas.formula();
    const renaming = random.pick(RENAMINGS);
    const owner = "Orders";
    const references = findNameReferences(formula, owner, SHOP);
    expect([formula, references.map(({ from, to }) => formula.slice(from, to))]).toEqual([
      formula,
      references.map(nameOf),
    ]);

    const renamed = applyNameReplacement(formula, references, renaming);
    // The inferred types of missing columns may depend on names that the renaming assigns to other columns.
    if (renamed === formula || !references.every(exists)) continue;
    renamedCount++;
    const tables = renamedTables(SHOP, renaming);
    const ownerAfter = !("column" in renaming) && renaming.table === owner ? renaming.to : owner;
    const after = findNameReferences(renamed, ownerAfter, tables);
    const noRenaming = { table: "", to: "" };
    expect([formula, after.map((reference) => expectedAfter(reference, noRenaming))]).toEqual([
      formula,
      references.map((reference) => expectedAfter(reference, renaming)),
    ]);
    expect(applyNameReplacement(renamed, after, inverse(renaming))).toBe(formula);
    expect(applyNameReplacement(formula, references, { table: "Orders", column: "Nowhere", to: "x" })).toBe(formula);
  }
  expect(renamedCount).toBeGreaterThan(SEQUENCES / 60);
});

test("reversing a renaming restores the tables", () => {
  for (const renaming of RENAMINGS) {
    expect(renamedTables(renamedTables(SHOP, renaming), inverse(renaming))).toEqual(SHOP);
  }
});
