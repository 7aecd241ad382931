import { AppError } from "../errors.ts";

/** The refusal of calls after a runtime was closed. */
export const shuttingDown = (): AppError =>
  new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
