import { afterAll, describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { TYPE_FAMILIES } from "../../../src/values/type-registry.ts";
import { must } from "../../../src/lib/assert.ts";
import {
  columnsFor,
  dataFor,
  listFor,
  type Question,
  recordsFor,
  refusalOf,
  ruledDocument,
  tablesFor,
} from "./reading.ts";

const documents: OpenDocument[] = [];
afterAll(() => {
  for (const document of documents) document.close();
});
const made = (...args: Parameters<typeof ruledDocument>): OpenDocument => {
  const document = ruledDocument(...args);
  documents.push(document);
  return document;
};

const PETS = {
  id: "Pets",
  columns: { Name: "Text", Age: "Int", Chip: "Text" },
  rows: [
    { Name: "Ada", Age: 3, Chip: "c1" },
    { Name: "Bo", Age: 9, Chip: "c2" },
    { Name: "Cy", Age: 5, Chip: "c3" },
    { Name: "Di", Age: 7, Chip: "" },
  ],
};
const TOYS = { id: "Toys", columns: { Kind: "Text" }, rows: [{ Kind: "ball" }] };

const refOf = (document: OpenDocument, table: string, column?: string): string => {
  const info = must(document.schema.tableById.get(table));
  return String(column === undefined ? info.ref : must(info.columnById.get(column)).ref);
};

const idsOf = (records: readonly { id: number }[]): number[] => records.map(({ id }) => id);

describe("a denied table", () => {
  const document = made([PETS, TOYS], { "Pets:*": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });

  test.each(["Pets", refOf(document, "Pets")])("%s is refused and not listed", (table) => {
    for (const ask of [recordsFor, listFor, dataFor]) {
      expect(refusalOf(() => ask(document, "viewers", { table }))).toBe("forbidden");
      expect(refusalOf(() => ask(document, "editors", { table }))).toBeNull();
    }
    expect(refusalOf(() => columnsFor(document, "viewers", table))).toBe("notFound");
    expect(columnsFor(document, "editors", table)).toEqual(["manualSort", "Name", "Age", "Chip"]);
  });

  test("is refused before the query is validated; a missing table is not found", () => {
    for (const question of [{ sort: "Nope" }, { filter: { Nope: [1] } }]) {
      expect(refusalOf(() => recordsFor(document, "viewers", { table: "Pets", ...question }))).toBe("forbidden");
    }
    expect(refusalOf(() => recordsFor(document, "viewers", { table: "Cats" }))).toBe("notFound");
    expect(refusalOf(() => columnsFor(document, "viewers", "Cats"))).toBe("notFound");
  });

  test("does not affect other tables", () => {
    expect(Object.keys(tablesFor(document, "viewers"))).toEqual(["Table1", "Toys"]);
    expect(Object.keys(tablesFor(document, "owners"))).toEqual(["Table1", "Pets", "Toys"]);
    expect(recordsFor(document, "viewers", { table: "Toys" })).toEqual([{ id: 1, fields: { Kind: "ball" } }]);
  });
});

describe("a denied column", () => {
  const document = made([PETS], { "Pets:Age,Chip": [{ formula: "user.Access != OWNER", permissions: "-R" }] });
  const ages = refOf(document, "Pets", "Age");

  test("is not in any response", () => {
    const names = ["Ada", "Bo", "Cy", "Di"];
    for (const typed of [false, true]) {
      for (const ask of [recordsFor, listFor]) {
        expect(ask(document, "editors", { table: "Pets", typed }).map(({ fields }) => fields)).toEqual(
          names.map((Name) => ({ Name })),
        );
        expect(ask(document, "editors", { table: "Pets", typed, hidden: true }).map(({ fields }) => fields)).toEqual(
          names.map((Name, at) => ({ manualSort: at + 1, Name })),
        );
      }
      expect(dataFor(document, "editors", { table: "Pets", typed })).toEqual({
        id: [1, 2, 3, 4],
        manualSort: [1, 2, 3, 4],
        Name: names,
      });
    }
    expect(tablesFor(document, "editors")["Pets"]).toEqual(["Name"]);
    expect(columnsFor(document, "editors", "Pets")).toEqual(["manualSort", "Name"]);
    expect(Object.keys(must(recordsFor(document, "owners", { table: "Pets" })[0]).fields)).toEqual([
      "Name",
      "Age",
      "Chip",
    ]);
  });

  const asking: Omit<Question, "table">[] = [
    { sort: "Age" },
    { sort: "-Age" },
    { sort: "Name,Age" },
    { sort: "Age:emptyLast" },
    { sort: ages },
    { sort: `-${ages}` },
    { sort: "Age", limit: 1 },
    { filter: { Age: [3] } },
    { filter: { Name: ["Ada"], Chip: ["c1"] } },
    { filter: { Age: [] } },
  ];
  test.each(asking)("cannot be queried: %j", (question) => {
    for (const ask of [recordsFor, listFor, dataFor]) {
      expect(refusalOf(() => ask(document, "editors", { table: "Pets", ...question }))).toBe("invalid");
      expect(refusalOf(() => ask(document, "owners", { table: "Pets", ...question }))).toBeNull();
    }
  });

  test("leaves positions and ids readable", () => {
    for (const sort of ["-manualSort", "-id"]) {
      expect(idsOf(recordsFor(document, "editors", { table: "Pets", sort }))).toEqual([4, 3, 2, 1]);
    }
    expect(idsOf(recordsFor(document, "editors", { table: "Pets", filter: { manualSort: [2], id: [2, 3] } }))).toEqual([
      2,
    ]);
  });
});

test("a column can be allowed in a denied table", () => {
  const document = made([PETS], {
    "Pets:*": [{ permissions: "none" }],
    "Pets:Name": [{ permissions: "+R" }],
  });
  expect(dataFor(document, "owners", { table: "Pets" })).toEqual({
    id: [1, 2, 3, 4],
    manualSort: [1, 2, 3, 4],
    Name: ["Ada", "Bo", "Cy", "Di"],
  });
  expect(tablesFor(document, "owners")["Pets"]).toEqual(["Name"]);
});

describe("hidden rows", () => {
  const document = made([PETS], {
    "Pets:*": [{ formula: "user.Access != OWNER and rec.Chip in ['c1', 'c3']", permissions: "-R" }],
  });
  const asking: [question: Omit<Question, "table">, ids: number[]][] = [
    [{}, [2, 4]],
    [{ limit: 1 }, [2]],
    [{ limit: 2 }, [2, 4]],
    [{ limit: 3 }, [2, 4]],
    [{ sort: "Age" }, [4, 2]],
    [{ sort: "-Age" }, [2, 4]],
    [{ sort: "Age", limit: 1 }, [4]],
    [{ sort: "-id" }, [4, 2]],
    [{ sort: "-id", limit: 1 }, [4]],
    [{ sort: "-Name", limit: 1 }, [4]],
    [{ filter: { Age: [3, 7] } }, [4]],
    [{ filter: { Age: [3, 5] } }, []],
    [{ filter: { Chip: ["c1"] } }, []],
    [{ filter: { id: [1, 2] } }, [2]],
    [{ filter: { id: [1, 2] }, limit: 1 }, [2]],
    [{ filter: { Age: [9, 7] }, sort: "Age", limit: 1 }, [4]],
  ];
  test.each(asking)("read as if they did not exist: %j", (question, ids) => {
    const wanted = { table: "Pets", ...question };
    expect(idsOf(recordsFor(document, "viewers", wanted))).toEqual(ids);
    expect(idsOf(listFor(document, "viewers", wanted))).toEqual(ids);
    expect(dataFor(document, "viewers", wanted)["id"]).toEqual(ids);
    expect(idsOf(recordsFor(document, "viewers", { ...wanted, table: refOf(document, "Pets") }))).toEqual(ids);
  });

  test("do not depend on which columns are requested", () => {
    expect(recordsFor(document, "viewers", { table: "Pets", limit: 1 })).toEqual([
      { id: 2, fields: { Name: "Bo", Age: 9, Chip: "c2" } },
    ]);
  });

  test("leave an empty table when all are hidden", () => {
    const empty = made([PETS], { "Pets:*": [{ formula: "rec.Age > 0", permissions: "-R" }] });
    expect(recordsFor(empty, "owners", { table: "Pets" })).toEqual([]);
    expect(dataFor(empty, "owners", { table: "Pets" })).toEqual({
      id: [],
      manualSort: [],
      Name: [],
      Age: [],
      Chip: [],
    });
    expect(Object.keys(tablesFor(empty, "owners"))).toContain("Pets");
  });
});

describe("censored cells", () => {
  const document = made([PETS], { "Pets:Age,Chip": [{ formula: "rec.Age > 6", permissions: "-R" }] });
  const C: CellValue = ["C"];

  test("are shown as censored in every format", () => {
    for (const typed of [false, true]) {
      const records = [
        { id: 1, fields: { Name: "Ada", Age: 3, Chip: "c1" } },
        { id: 2, fields: { Name: "Bo", Age: C, Chip: C } },
        { id: 3, fields: { Name: "Cy", Age: 5, Chip: "c3" } },
        { id: 4, fields: { Name: "Di", Age: C, Chip: C } },
      ];
      expect(recordsFor(document, "owners", { table: "Pets", typed })).toEqual(records);
      expect(listFor(document, "owners", { table: "Pets", typed })).toEqual(records);
      expect(dataFor(document, "owners", { table: "Pets", typed })).toMatchObject({
        Age: [3, C, 5, C],
        Chip: ["c1", C, "c3", C],
      });
    }
    expect(columnsFor(document, "owners", "Pets")).toEqual(["manualSort", "Name", "Age", "Chip"]);
  });

  const asking: [question: Omit<Question, "table">, ids: number[]][] = [
    [{ sort: "Age" }, [1, 3, 2, 4]],
    [{ sort: "-Age" }, [2, 4, 3, 1]],
    [{ sort: "Age", limit: 3 }, [1, 3, 2]],
    [{ sort: "-Age", limit: 1 }, [2]],
    [{ sort: "Age,-id" }, [1, 3, 4, 2]],
    [{ sort: "Age,Age:emptyLast,-Age:naturalSort" }, [1, 3, 2, 4]],
    [{ sort: "Chip" }, [2, 4, 1, 3]],
    [{ sort: "Chip:emptyLast" }, [2, 4, 1, 3]],
    [{ filter: { Age: [9] } }, []],
    [{ filter: { Age: [9, 5] } }, [3]],
    [{ filter: { Age: [9], Name: ["Bo"] } }, []],
    [{ filter: { Chip: [""] } }, []],
    [{ filter: { Age: [["C"]] } }, []],
    [{ filter: { Name: ["Bo", "Cy"] } }, [2, 3]],
    [{ filter: { Name: ["Bo", "Cy"] }, sort: "-Age" }, [2, 3]],
    [{ filter: { Chip: ["c2", "c3"] }, sort: "Age", limit: 2 }, [3]],
  ];
  test.each(asking)("reveal nothing by order or filter: %j", (question, ids) => {
    const wanted = { table: "Pets", ...question };
    expect(idsOf(recordsFor(document, "owners", wanted))).toEqual(ids);
    expect(idsOf(listFor(document, "owners", wanted))).toEqual(ids);
    expect(dataFor(document, "owners", wanted)["id"]).toEqual(ids);
  });

  test("exist in columns of any type", () => {
    const types = [...TYPE_FAMILIES].map(([base, { argument }]) => (argument === "required" ? `${base}:Pets` : base));
    const columns = Object.fromEntries(types.map((type, at) => [`C${at}`, type]));
    const rules = { [`All:${Object.keys(columns).join(",")}`]: [{ formula: "rec.id == 1", permissions: "-R" }] };
    const all = made([{ id: "All", columns: { ...columns, Name: "Text" }, rows: [{}, {}] }, PETS], rules);
    for (const typed of [false, true]) {
      const [censored, shown] = recordsFor(all, "owners", { table: "All", typed });
      const data = dataFor(all, "owners", { table: "All", typed });
      for (const id of Object.keys(columns)) {
        expect({ id, value: censored?.fields[id] }).toEqual({ id, value: C });
        expect({ id, value: data[id]?.[0] }).toEqual({ id, value: C });
        expect({ id, value: shown?.fields[id] }).not.toEqual({ id, value: C });
      }
      expect(censored?.errors).toBeUndefined();
    }
  });
});

test("do not order ties by censored positions", () => {
  const rows = [
    { Name: "a", Age: 1, manualSort: 40 },
    { Name: "a", Age: 2, manualSort: 30 },
    { Name: "a", Age: 1, manualSort: 20 },
    { Name: "a", Age: 2, manualSort: 10 },
  ];
  const document = made([{ id: "Pets", columns: { Name: "Text", Age: "Int" }, rows }], {
    "Pets:Name": [{ permissions: "+R" }],
    "Pets:*": [{ formula: "rec.Age == 1", permissions: "-R" }],
  });
  for (const sort of ["Name", "-Name"]) {
    expect(recordsFor(document, "editors", { table: "Pets", sort }).map(({ id }) => id)).toEqual([4, 2, 1, 3]);
  }
});

describe("the display column of a reference", () => {
  const WALKS = {
    id: "Walks",
    columns: { Who: "Ref:Pets", gristHelper_Display: "Any", Day: "Int" },
    rows: [
      { Who: 1, gristHelper_Display: "Ada", Day: 1 },
      { Who: 2, gristHelper_Display: "Bo", Day: 2 },
    ],
  };
  const withHelper = (rules: Parameters<typeof ruledDocument>[1]): OpenDocument => {
    const document = made([PETS, WALKS], rules);
    document.db.exec(
      `update _grist_Tables_column set isFormula = 1, formula = '$Who.Name' where colId = 'gristHelper_Display'`,
    );
    document.onChanged({ schema: true });
    return document;
  };

  test("is hidden with its source", () => {
    const document = withHelper({ "Walks:Who": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
    const question = { table: "Walks", hidden: true, limit: 1 };
    expect(recordsFor(document, "viewers", question)).toEqual([{ id: 1, fields: { manualSort: 1, Day: 1 } }]);
    expect(Object.keys(dataFor(document, "viewers", question))).toEqual(["id", "manualSort", "Day"]);
    expect(columnsFor(document, "viewers", "Walks")).toEqual(["manualSort", "Day"]);
    expect(refusalOf(() => recordsFor(document, "viewers", { ...question, sort: "gristHelper_Display" }))).toBe(
      "invalid",
    );
    expect(recordsFor(document, "editors", question)).toEqual([
      { id: 1, fields: { manualSort: 1, Who: 1, gristHelper_Display: "Ada", Day: 1 } },
    ]);
  });

  test("is censored with its source", () => {
    const document = withHelper({ "Walks:Who": [{ formula: "rec.Day == 2", permissions: "-R" }] });
    expect(dataFor(document, "owners", { table: "Walks" })).toMatchObject({
      Who: [1, ["C"]],
      gristHelper_Display: ["Ada", ["C"]],
    });
    const found = { table: "Walks", filter: { gristHelper_Display: ["Bo"] } };
    expect(recordsFor(document, "owners", found)).toEqual([]);
    expect(idsOf(recordsFor(document, "owners", { table: "Walks", sort: "-gristHelper_Display" }))).toEqual([1, 2]);
  });
});

test("rules read columns that the file lacks as they are shown", () => {
  const document = made([PETS], { "Pets:*": [{ formula: "rec.Gone == None and rec.Age > 6", permissions: "-R" }] });
  document.db.exec(
    `insert into _grist_Tables_column (parentId, colId, type) values (${refOf(document, "Pets")}, 'Gone', 'Any')`,
  );
  document.onChanged({ schema: true });
  expect(recordsFor(document, "owners", { table: "Pets" }).map(({ fields }) => fields)).toEqual([
    { Name: "Ada", Age: 3, Chip: "c1", Gone: null },
    { Name: "Cy", Age: 5, Chip: "c3", Gone: null },
  ]);
});
