/** Conditions that Quern keeps in the options of a section, for callers who do not see a column of them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { must } from "../../../src/lib/assert.ts";
import { Scratch } from "../actions/scratch.ts";
import { recordsFor, ruledDocument } from "./reading.ts";
import { addingRules } from "./ruled.ts";

const RULES = { "Wages:Who": [{ formula: "user.Access != OWNER", permissions: "-R" }] };
const base = { sort: "x", filters: {} };
const withFilter = (filter: unknown): string => JSON.stringify({ a: 1, quern: { v: 1, base, filter } });
const WITHOUT = JSON.stringify({ a: 1, quern: { v: 1, base } });

describe("reading", () => {
  let document: OpenDocument;
  let who = 0;
  let sum = 0;
  beforeAll(() => {
    document = ruledDocument([{ id: "Wages", columns: { Who: "Text", Sum: "Int" } }], RULES);
    const { columnById, ref } = must(document.schema.tableById.get("Wages"));
    [who, sum] = [must(columnById.get("Who")).ref, must(columnById.get("Sum")).ref];
    document.db.run("insert into _grist_Views_section (id, tableRef) values (13, ?)", ref);
  });
  afterAll(() => document.close());

  const optionsAs = (role: "owners" | "editors", options: string): unknown => {
    document.db.run("update _grist_Views_section set options = ? where id = 13", options);
    return recordsFor(document, role, { table: "_grist_Views_section" }).find(({ id }) => id === 13)?.fields["options"];
  };

  test("are hidden where they name a hidden column, or a column by a path", () => {
    const hidden = [
      { [who]: [1] },
      { [sum]: { gt: 1 }, or: [{ not: { [who]: { empty: true } } }] },
      { [`${who}.Name`]: { contains: "Rex" } },
      { [`${sum}.Name`]: { contains: "Rex" } },
    ];
    for (const filter of hidden) {
      expect(optionsAs("editors", withFilter(filter))).toBe(WITHOUT);
      expect(optionsAs("owners", withFilter(filter))).toBe(withFilter(filter));
    }
  });

  test("are kept where the caller sees their columns", () => {
    for (const filter of [{ [sum]: { gt: who } }, { [sum]: [who, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, {}])
      expect(optionsAs("editors", withFilter(filter))).toBe(withFilter(filter));
    for (const options of ["", "{", '{"numFrozen":1}', '{"quern":5}', '{"quern":{"filter":[1]}}'])
      expect(optionsAs("editors", options)).toBe(options);
  });

  test("are hidden with all options where they cannot be read", () => {
    expect(optionsAs("editors", `{"quern":{"filter":{"${who}":[1]}}`)).toBe("");
    const deep = `${"[".repeat(2000)}${"]".repeat(2000)}`;
    expect(optionsAs("editors", `{"quern":{"filter":{"${who}":["Rex"]}},"x":${deep}}`)).toBe("");
  });
});

describe("writing", () => {
  let scratch: Scratch;
  let who = 0;
  let sum = 0;
  beforeAll(() => {
    scratch = new Scratch();
    scratch.apply([
      [
        "AddTable",
        "Wages",
        [
          { id: "Who", type: "Text" },
          { id: "Sum", type: "Int" },
        ],
      ],
      ...addingRules(RULES),
    ]);
    const { columnById } = must(scratch.document.schema.tableById.get("Wages"));
    [who, sum] = [must(columnById.get("Who")).ref, must(columnById.get("Sum")).ref];
  });
  afterAll(() => scratch[Symbol.dispose]());

  const update = (role: "owners" | "editors", options: string): unknown => {
    scratch.apply([["UpdateRecord", "_grist_Views_section", SECTION, { options }]], { role });
    const [row] = scratch.document.db.values("select options from _grist_Views_section where id = ?", SECTION);
    return JSON.parse(String(row?.[0]));
  };
  const SECTION = 1;

  test("keeps conditions that the caller does not see", () => {
    const filter = { [who]: ["Rex"] };
    const quern = { v: 1, base, filter };
    update("owners", withFilter(filter));
    const written = { a: 2, quern: { v: 1, base: { sort: "y" }, totals: {} } };
    expect(update("editors", JSON.stringify(written))).toEqual({ a: 2, quern: { ...written.quern, filter } });
    update("owners", withFilter(filter));
    expect(update("editors", '{"a":3}')).toEqual({ a: 3, quern });
    expect(update("editors", "")).toEqual({ quern });
  });

  test("replaces them by the caller's own, or writes the options as given", () => {
    const own = { [sum]: { gt: 1 } };
    update("owners", withFilter({ [who]: ["Rex"] }));
    expect(update("editors", withFilter(own))).toEqual({ a: 1, quern: { v: 1, base, filter: own } });
    expect(update("editors", '{"a":4}')).toEqual({ a: 4 });
    update("owners", withFilter({ [who]: ["Rex"] }));
    expect(update("owners", '{"a":5}')).toEqual({ a: 5 });
  });
});
