import { describe, expect, test } from "bun:test";
import type { Role, EffectiveRole } from "../../src/authorization.ts";
import { effectiveRole, inheritableRole } from "../../src/home/roles.ts";

type Row = [direct: EffectiveRole | null, above: EffectiveRole | null, most: Role | null, role: EffectiveRole | null];

describe("the role on a thing", () => {
  const rows: Row[] = [
    // Nothing given, nothing above.
    [null, null, "owners", null],
    // Inherited whole.
    [null, "owners", "owners", "owners"],
    [null, "editors", "owners", "editors"],
    [null, "viewers", "owners", "viewers"],
    // Members and guests hand nothing down.
    [null, "members", "owners", null],
    [null, "guests", "owners", null],
    // Cut to what the thing lets through.
    [null, "owners", "editors", "editors"],
    [null, "owners", "viewers", "viewers"],
    [null, "editors", "viewers", "viewers"],
    [null, "viewers", "editors", "viewers"],
    [null, "owners", null, null],
    // What was given directly is never cut.
    ["owners", null, null, "owners"],
    ["editors", "viewers", null, "editors"],
    ["owners", "owners", "viewers", "owners"],
    // The stronger counts.
    ["viewers", "editors", "owners", "editors"],
    ["viewers", "owners", "editors", "editors"],
    ["editors", "owners", "viewers", "editors"],
    ["members", null, "owners", "members"],
  ];
  test.each(rows)("given %j, above %j, at most %j → %j", (direct, above, most, role) => {
    expect(effectiveRole(direct, above, most)).toBe(role);
  });
});

test("only owners, editors and viewers reach what is below", () => {
  const all: (EffectiveRole | null)[] = ["owners", "editors", "viewers", "members", "guests", null];
  expect(all.map(inheritableRole)).toEqual(["owners", "editors", "viewers", null, null, null]);
});
