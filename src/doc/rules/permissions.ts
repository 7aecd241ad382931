import type { Permission } from "./access-types.ts";

/** The effect of a rule on a permission; a rule leaves the others undecided. */
export type Effect = "allow" | "deny";
export type Effects = ReadonlyMap<Permission, Effect>;

/** Permissions by their letters. */
const LETTERS: ReadonlyMap<string, Permission> = new Map([
  ["C", "create"],
  ["R", "read"],
  ["U", "update"],
  ["D", "delete"],
  ["S", "structure"],
]);

export const PERMISSIONS: readonly Permission[] = [...LETTERS.values()];

/** Returns the same effect for all permissions. */
export const all = (effect: Effect): Effects => new Map(PERMISSIONS.map((permission) => [permission, effect]));

/** Parses `+R-CUD`, `all` or `none`; returns null for any other text. Of a repeated letter, the last counts. */
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
