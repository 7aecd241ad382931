import { describe, expect, test } from "bun:test";
import type { StyleRule } from "../../../../src/web/pages/table/client/cells/conditional-styles.ts";
import { mergeRules } from "../../../../src/web/pages/table/client/columns/merge-rules.ts";

const rule = (columnId: string | null, formula: string, fillColor = "#ffdba5"): StyleRule => ({
  columnId,
  formula,
  style: { fillColor },
  stored: { fillColor },
});

describe("rules of two windows", () => {
  const base = [rule("One", "$A > 1"), rule("Two", "$A > 2")];

  test("are those of the panel when nothing else changed", () => {
    const mine = [rule("Two", "$A > 2"), rule(null, "$A > 3"), rule("One", "$A > 9")];
    expect(mergeRules(base, mine, base)).toEqual(mine);
  });

  test("include the ones that another window added, before new ones", () => {
    const theirs = [...base, rule("Three", "$B == 3")];
    const mine = [...base, rule(null, "$A > 4")];
    expect(mergeRules(base, mine, theirs)).toEqual([...base, rule("Three", "$B == 3"), rule(null, "$A > 4")]);
  });

  test("lose the ones that another window removed, unless they were changed here", () => {
    expect(mergeRules(base, [...base, rule(null, "$A")], [rule("Two", "$A > 2")])).toEqual([
      rule("Two", "$A > 2"),
      rule(null, "$A"),
    ]);
    const changed = [rule("One", "$A > 7"), rule("Two", "$A > 2")];
    expect(mergeRules(base, changed, [rule("Two", "$A > 2")])).toEqual([rule(null, "$A > 7"), rule("Two", "$A > 2")]);
  });

  test("take the formula from one window and the style from the other", () => {
    const mine = [rule("One", "$A > 7"), rule("Two", "$A > 2")];
    const theirs = [rule("One", "$A > 1", "#000000"), rule("Two", "$A > 8")];
    expect(mergeRules(base, mine, theirs)).toEqual([rule("One", "$A > 7", "#000000"), rule("Two", "$A > 8")]);
  });

  test("stay removed when another window changed a removed one", () => {
    expect(mergeRules(base, [rule("One", "$A > 1")], [rule("One", "$A > 1"), rule("Two", "$A > 5")])).toEqual([
      rule("One", "$A > 1"),
    ]);
  });
});
