import { beforeEach, afterEach, describe, expect, test } from "bun:test";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "People",
      [
        { id: "Name" },
        { id: "City" },
        { id: "Age", type: "Int" },
        { id: "Born", type: "Date" },
        { id: "Tags", type: "ChoiceList" },
        { id: "Upper", formula: "UPPER($City)" },
      ],
    ],
    [
      "BulkAddRecord",
      "People",
      [null, null, null],
      { Name: ["ann", "bob", "cyd"], City: ["Oslo", "Rome", "Oslo"], Age: [1, 2, 3] },
    ],
  ]);
});
afterEach(() => scratch[Symbol.dispose]());

const upsert = (require: object, values: object, options: object = {}) =>
  scratch.do("BulkAddOrUpdateRecord", "People", require, values, options);

describe("matching", () => {
  const cases: [require: Record<string, unknown>, ids: number[]][] = [
    [{ Name: "bob" }, [2]],
    [{ Name: "Bob" }, []],
    [{ City: "Oslo" }, [1, 3]],
    [{ City: "Oslo", Age: 3 }, [3]],
    [{ Age: "2" }, [2]],
    [{ Upper: "ROME" }, [2]],
    [{ id: 3 }, [3]],
    [{ id: 3, Name: "ann" }, []],
    [{ Tags: null }, [1, 2, 3]],
    [{ Born: null, Age: 1 }, [1]],
  ];
  for (const [require, ids] of cases) {
    test(JSON.stringify(require), () => {
      const options = { on_many: "all", add: false };
      expect(scratch.do("AddOrUpdateRecord", "People", require, {}, options)).toEqual({
        recordIds: ids,
        action: ids.length > 0 ? "UPDATE" : "NONE",
      });
    });
  }
});

test("updates or adds each record, with ids in request order", () => {
  const require = { Name: ["new", "bob", "newer"] };
  expect(upsert(require, { Age: [10, 20, 30] })).toEqual({
    recordIds: [[4], [2], [5]],
    addRecordIds: [4, 5],
    updateRecordIds: [[2]],
  });
  expect(scratch.rows("People", "Name", "Age")).toMatchObject({ 2: ["bob", 20], 4: ["new", 10], 5: ["newer", 30] });
});

test("prefers values to require, and omits formula columns when adding", () => {
  upsert({ Name: ["dan"], City: ["Bonn"], Upper: ["NOWHERE"] }, { City: ["Paris"] });
  expect(scratch.rows("People", "Name", "City", "Upper")).toMatchObject({ 4: ["dan", "Paris", "PARIS"] });
});

describe("several matches", () => {
  const cases: [options: object, recordIds: number[]][] = [
    [{}, [1]],
    [{ on_many: "first" }, [1]],
    [{ on_many: "none" }, []],
    [{ on_many: "all" }, [1, 3]],
    [{ on_many: "all", update: false }, []],
  ];
  for (const [options, ids] of cases) {
    test(JSON.stringify(options), () => {
      expect(upsert({ City: ["Oslo"] }, { Age: [9] }, options)).toEqual({
        recordIds: [ids],
        addRecordIds: [],
        updateRecordIds: ids.length > 0 ? [ids] : [],
      });
      const ages = Object.entries(scratch.rows("People", "Age")).filter(([, [age]]) => age === 9);
      expect(ages.map(([id]) => Number(id))).toEqual(ids);
    });
  }
});

test("matches every record with an empty require, if allowed", () => {
  expect(() => upsert({}, { Age: [1] })).toThrow("require is empty");
  expect(upsert({}, { City: ["Lima"] }, { allow_empty_require: true, on_many: "all" })).toMatchObject({
    updateRecordIds: [[1, 2, 3]],
  });
});

describe("rejects", () => {
  const cases: Record<string, [require: object, values: object, options?: object]> = {
    "equal require values": [{ Age: [1, "1"] }, { City: ["a", "b"] }],
    "an unknown column": [{ Nope: [1] }, {}],
    "values for a formula column": [{ Name: ["ann"] }, { Upper: ["x"] }],
    "a list in require": [{ Tags: [["L", "a"]] }, {}],
    "a text that is parsed as a list": [{ Tags: ["a, b"] }, {}],
    "an id that is not a number": [{ id: ["1"] }, {}],
    "an id that another record has": [{ id: [1], Name: ["nobody"] }, {}],
    "an unknown on_many": [{ Name: ["ann"] }, {}, { on_many: "some" }],
  };
  for (const [name, [require, values, options]] of Object.entries(cases)) {
    test(name, () => {
      const before = scratch.content();
      expect(() => upsert(require, values, options)).toThrow();
      expect(scratch.content()).toEqual(before);
    });
  }
});
