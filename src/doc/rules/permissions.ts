import type { Permission } from "./access-types.ts";

/** What a rule says about some permissions; it leaves the others open. */
export type Effect = "allow" | "deny";
export type Effects = ReadonlyMap<Permission, Effect>;

/** By the letters of permission texts. */
const LETTERS: ReadonlyMap<string, Permission> = new Map([
  ["C", "create"],
  ["R", "read"],
  ["U", "update"],
  ["D", "delete"],
  ["S", "structure"],
]);

export const PERMISSIONS: readonly Permission[] = [...LETTERS.values()];

/** The same effect on everything. */
export const all = (effect: Effect): Effects => new Map(PERMISSIONS.map((permission) => [permission, effect]));

/** Reads `+R-CUD`, `all` or `none`; null for anything else. Of a letter that comes twice, the last counts. */
export function parsePermissions(text: string): Effects | null {
  if (text === "all") return all("allow");
  if (text === "none") return all("deny");
  const effects = new Map<Permission, Effect>();
  let effect: Effect | null = null;
  for (const character of text) {
    const permission = LETTERS.get(character);
    if (character === "+" || character === "-") effect = character === "+" ? "allow" : "deny";
    else if (permission && effect) effects.set(permission, effect);
    else return null;
  }
  return effects;
}
