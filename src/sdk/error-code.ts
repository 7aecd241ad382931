import type { Reason } from "../errors/codes.ts";

/** The codes of refused requests: `details.code`. Their meanings are in the documentation, under "Errors". */
export type ErrorCode = Reason;
