import { CALL_STEPS, extraCallSteps } from "../runtime/call-costs.ts";
import type { RowGenerator } from "./row-generator.ts";
import type { RowWriter, Value } from "./row-writer.ts";

/**
 * Generates a call in place; returns undefined, without generating anything, for arguments that are left to the
 * interpreter's function.
 */
export type InlineFunction = (generator: RowGenerator, args: readonly Value[]) => Value | undefined;

/** Charges the call of a function. */
export const addCall = (writer: RowWriter, name = ""): void => writer.addSteps(CALL_STEPS + extraCallSteps(name));
