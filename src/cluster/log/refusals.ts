/** Answers while the log cannot be used. */
import { AppError } from "../../errors.ts";
import { ConnectionLostError, StatementError } from "../postgres/failures.ts";
import type { RefusalReason } from "../protocol/document-events.ts";

/** The answer to a change whose commit may or may not be in the log. */
export const logStopped = (): AppError =>
  new AppError(
    "document.unavailable",
    "The document moved to another server during the request; the change may or may not have been saved",
    {
      retryAfterS: 1,
      details: { outcome: "unknown" },
    },
  );

const RETRY = { retryAfterS: 2 };

/** The server cannot answer now; nothing was changed. @param cause what failed */
export const noLease = (cause?: unknown): AppError =>
  new AppError("log.unavailable", "The server cannot reach its log (PostgreSQL); try again", { ...RETRY, cause });

/**
 * Returns the refusal of a request that could not begin because PostgreSQL failed: clients learn neither its address nor
 * its messages. Other errors stay as they are.
 */
export const beforeChange = (error: unknown): unknown => (isPostgresFailure(error) ? noLease(error) : error);

/** True if PostgreSQL could not be reached, or did not carry a statement out. */
export const isPostgresFailure = (error: unknown): boolean =>
  error instanceof ConnectionLostError ||
  error instanceof StatementError ||
  (error instanceof AppError && error.reason === "log.unavailable");

/** Another server has the document; nothing was changed. */
export const ownedElsewhere = (): AppError =>
  new AppError("document.elsewhere", "Another server has this document open; try again", { retryAfterS: 1 });

/** The answer cannot leave; the change may or may not be in the log. */
export const outcomeUnknown = (): AppError =>
  new AppError(
    "log.unavailable",
    "The server lost its log (PostgreSQL) during the request; a change may or may not have been saved",
    { ...RETRY, details: { outcome: "unknown" } },
  );

/** The log lost acknowledged changes of the document. */
export const divergedError = (): AppError =>
  new AppError(
    "log.diverged",
    "The log of this document lost changes that had been acknowledged. An administrator must choose what to keep",
    { retryAfterS: 60 },
  );

/** Refuses to start. */
export const homeDiverged = (): AppError =>
  new AppError(
    "log.diverged",
    "The log lost acknowledged changes of the home database: choose with quern cluster recover --keep-local home, or --keep-log home",
  );

/** The answer to changes while they are refused. */
export const writesRefused = (reason: RefusalReason): AppError => (reason === "stopped" ? logStopped() : noLease());
