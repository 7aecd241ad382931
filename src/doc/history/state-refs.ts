import { AppError } from "../../errors.ts";
import type { State } from "./states.ts";

const HEAD = "HEAD";

/**
 * Resolves a state reference: `HEAD` is the newest state, anything else a hash; a suffix `~3` goes back three states,
 * `~` and `^` one each.
 * @param states newest first
 * @param where the parameter's name, for error messages
 * @returns the index in the list
 * @throws AppError `invalid` for malformed text, an unknown hash, and a state before the oldest stored one
 */
export function findState(states: readonly State[], text: string, where: string): number {
  const match = /^([^~^]+)((?:~\d*|\^)*)$/.exec(text);
  const [, base = "", steps = ""] = match ?? [];
  if (!match)
    throw unknownState(`"${where}" must be HEAD or the hash of a state, optionally followed by ~1 or ^ to go back`);
  const start = base === HEAD ? 0 : states.findIndex(({ h }) => h === base);
  if (start < 0 || states.length === 0) throw unknownState(`"${where}" does not match any state of the document`);
  const index = start + stepsBack(steps);
  if (index >= states.length) throw unknownState(`"${where}" is older than the oldest stored state`);
  return index;
}

const stepsBack = (steps: string): number =>
  (steps.match(/~\d*|\^/g) ?? []).reduce((sum, step) => sum + (/\d/.test(step) ? Number(step.slice(1)) : 1), 0);

const unknownState = (message: string) => new AppError("state.unknown", message);
