import { AppError } from "../../errors.ts";
import type { State } from "./states.ts";

const HEAD = "HEAD";

/**
 * The state that a text names: `HEAD` is the newest, anything else a hash; `~3` behind it goes back three states,
 * `~` and `^` one each.
 * @param states newest first
 * @param where the text stands, for the refusal
 * @returns its place in the list
 * @throws AppError `invalid` for a text of another form, an unknown hash, and what lies before the oldest state kept
 */
export function findState(states: readonly State[], text: string, where: string): number {
  const match = /^([^~^]+)((?:~\d*|\^)*)$/.exec(text);
  const [, base = "", steps = ""] = match ?? [];
  if (!match) throw unknownState(`"${where}" must be HEAD or the hash of a state, with ~1 or ^ behind it to go back`);
  const start = base === HEAD ? 0 : states.findIndex(({ h }) => h === base);
  if (start < 0 || states.length === 0) throw unknownState(`"${where}" names no state of the document`);
  const index = start + stepsBack(steps);
  if (index >= states.length) throw unknownState(`"${where}" lies before the oldest state that is kept`);
  return index;
}

const stepsBack = (steps: string): number =>
  (steps.match(/~\d*|\^/g) ?? []).reduce((sum, step) => sum + (/\d/.test(step) ? Number(step.slice(1)) : 1), 0);

const unknownState = (message: string) => new AppError("state.unknown", message);
