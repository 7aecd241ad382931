/** Answers when another node should have answered. */
import { AppError } from "../../errors.ts";

/** Nothing was done. */
export const nodeUnreachable = (cause?: unknown): AppError =>
  new AppError(
    "cluster.unreachable",
    "The server that has this open cannot be reached; nothing was changed. Try again",
    {
      retryAfterS: 1,
      ...(cause !== undefined && { cause }),
    },
  );

/** The request may have been processed. */
export const forwardOutcomeUnknown = (cause: unknown): AppError =>
  new AppError(
    "cluster.node_lost",
    "The server that processed the request was lost; a change may or may not have been saved",
    { retryAfterS: 1, details: { outcome: "unknown" }, cause },
  );
