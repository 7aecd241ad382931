import type { UserGrant } from "../access.ts";
import type { LogEntry } from "../lib/log.ts";
import type { Context } from "./context.ts";
import { guardAdmin } from "./guards.ts";

/**
 * The last warnings and errors of the log, newest first. For administrators: they tell of all documents.
 * @throws AppError `forbidden`
 */
export function listRecentProblems({ log }: Context, grant: UserGrant): readonly LogEntry[] {
  guardAdmin(grant, "read its log");
  return log.recentProblems().toReversed();
}
