import { describe, expect, test } from "bun:test";
import type { Role, EffectiveRole } from "../../src/authorization.ts";
import { effectiveRole, inheritableRole } from "../../src/home/roles.ts";

type Row = [direct: EffectiveRole | null, above: EffectiveRole | null, most: Role | null, role: EffectiveRole | null];

describe("the effective role", () => {
  const rows: Row[] = [
    // No direct role, no inherited role.
    [null, null, "owners", null],
    // Inherited in full.
    [null, "owners", "owners", "owners"],
    [null, "editors", "owners", "editors"],
    [null, "viewers", "owners", "viewers"],
    // Members and guests pass nothing on.
    [null, "members", "owners", null],
    [null, "guests", "owners", null],
    // Limited by maxInheritedRole.
    [null, "owners", "editors", "editors"],
    [null, "owners", "viewers", "viewers"],
    [null, "editors", "viewers", "viewers"],
    [null, "viewers", "editors", "viewers"],
    [null, "owners", null, null],
    // Direct roles are never limited.
    ["owners", null, null, "owners"],
    ["editors", "viewers", null, "editors"],
    ["owners", "owners", "viewers", "owners"],
    // The stronger role wins.
    ["viewers", "editors", "owners", "editors"],
    ["viewers", "owners", "editors", "editors"],
    ["editors", "owners", "viewers", "editors"],
    ["members", null, "owners", "members"],
  ];
  test.each(rows)("direct %j, parent %j, limit %j → %j", (direct, above, most, role) => {
    expect(effectiveRole(direct, above, most)).toBe(role);
  });
});

test("only owners, editors and viewers are inherited", () => {
  const all: (EffectiveRole | null)[] = ["owners", "editors", "viewers", "members", "guests", null];
  expect(all.map(inheritableRole)).toEqual(["owners", "editors", "viewers", null, null, null]);
});
