import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { AppError } from "../../../src/errors.ts";
import type { Random } from "../../helpers/random.ts";
import { METADATA_ACTIONS } from "./random-metadata-actions.ts";
import { RECORD_ACTIONS } from "./random-record-actions.ts";
import { TABLE_ACTIONS } from "./random-table-actions.ts";
import { Source } from "./random-values.ts";
import { VIEW_ACTIONS } from "./random-view-actions.ts";
import type { Scratch } from "./scratch.ts";

/** Applies a step of up to three actions to a document. Returns them, or null when they were refused. */
export function randomStep(scratch: Scratch, random: Random): UserAction[] | null {
  const actions = randomBundle(scratch, random);
  try {
    scratch.apply(actions);
    return actions;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Returns up to three actions to apply together, all generated for the document before the first one. */
export const randomBundle = (scratch: Scratch, random: Random): UserAction[] =>
  Array.from({ length: 1 + random.below(3) }, () => randomAction(scratch, random));

const MAKERS = [...RECORD_ACTIONS, ...TABLE_ACTIONS, ...VIEW_ACTIONS, ...METADATA_ACTIONS];
const WEIGHT = MAKERS.reduce((sum, [weight]) => sum + weight, 0);

/** Returns a random action on the document, which may be refused. */
export function randomAction(scratch: Scratch, random: Random): UserAction {
  const source = new Source(scratch, random);
  for (;;) {
    let left = random.below(WEIGHT);
    const [, make] = MAKERS.find(([weight]) => (left -= weight) < 0) ?? [];
    const action = make?.(source);
    if (action) return action;
  }
}
