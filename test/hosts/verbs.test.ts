import { expect, test } from "bun:test";
import type { Verb } from "../../src/hosts/verbs/verb.ts";
import { verbs } from "../../src/hosts/verbs/verbs.ts";

test("verbs for viewers declare how they treat access rules", () => {
  const open = Object.entries(verbs as Record<string, Pick<Verb<never, unknown>, "needs" | "underRules">>);
  const silent = open.filter(([, { needs, underRules }]) => needs === "viewers" && underRules === undefined);
  expect(silent.map(([name]) => name)).toEqual([]);
});
