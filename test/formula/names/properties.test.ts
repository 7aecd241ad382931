import { expect, test } from "bun:test";
import { findNameReferences } from "../../../src/formula/names/reference-finder.ts";
import type { NameReference } from "../../../src/formula/names/name-references.ts";
import { applyNameReplacement, type NameReplacement } from "../../../src/formula/names/apply-name-replacement.ts";
import { Random } from "../../helpers/random.ts";
import { renamedTables, SHOP } from "./shop.ts";
import { randomRuns } from "../../helpers/random-runs.ts";

/** In every run some, with another seed each time; by hand any number. */
const SEQUENCES = randomRuns(100, 300);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

const ATOMS = "$Client $Name $Payers $Before $Chief rec c x o Clients Orders Clients.all Orders.lookupRecords 'Name' 1";
const ATTRIBUTES = "Name City Boss Client Payers Own Newest find.lt all lookupOne upper";

/** Makes formulas that are Python, whatever they would compute. */
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

const back = (renaming: NameReplacement): NameReplacement =>
  "column" in renaming
    ? { ...renaming, column: renaming.to, to: renaming.column }
    : { table: renaming.to, to: renaming.table };

const isThere = (place: NameReference): boolean =>
  place.kind !== "column" || SHOP.tableById.get(place.table)?.columnById.has(place.column) === true;

const written = (place: NameReference): string =>
  place.kind === "table" ? place.table : place.kind === "column" ? place.column : place.name;

/** A place but for where it is, as it is called after a renaming. */
function called(place: NameReference, { table, to, ...more }: NameReplacement): object {
  if (place.kind === "attribute") return { name: place.name };
  if ("column" in more) {
    const isIt = place.kind === "column" && place.table === table && place.column === more.column;
    return { table: place.table, ...(place.kind === "column" && { column: isIt ? to : place.column }) };
  }
  const own = place.table === table ? to : place.table;
  return { table: own, ...(place.kind === "column" && { column: place.column }) };
}

test(`renaming is followed and can be taken back (QUERN_TEST_SEED=${seed})`, () => {
  const random = new Random(seed);
  const formulas = new Formulas(random);
  let followed = 0;
  for (let i = 0; i < SEQUENCES; i++) {
    const formula = formulas.formula();
    const renaming = random.pick(RENAMINGS);
    const owner = "Orders";
    const places = findNameReferences(formula, owner, SHOP);
    expect([formula, places.map(({ from, to }) => formula.slice(from, to))]).toEqual([formula, places.map(written)]);

    const renamed = applyNameReplacement(formula, places, renaming);
    // Of columns that are not there, what is known may depend on names that others get.
    if (renamed === formula || !places.every(isThere)) continue;
    followed++;
    const tables = renamedTables(SHOP, renaming);
    const ownerThen = !("column" in renaming) && renaming.table === owner ? renaming.to : owner;
    const then = findNameReferences(renamed, ownerThen, tables);
    const none = { table: "", to: "" };
    expect([formula, then.map((place) => called(place, none))]).toEqual([
      formula,
      places.map((place) => called(place, renaming)),
    ]);
    expect(applyNameReplacement(renamed, then, back(renaming))).toBe(formula);
    expect(applyNameReplacement(formula, places, { table: "Orders", column: "Nowhere", to: "x" })).toBe(formula);
  }
  expect(followed).toBeGreaterThan(SEQUENCES / 60);
});

test("the tables that a renaming leads to are those it can be taken back from", () => {
  for (const renaming of RENAMINGS) {
    expect(renamedTables(renamedTables(SHOP, renaming), back(renaming))).toEqual(SHOP);
  }
});
