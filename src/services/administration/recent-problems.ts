import type { UserGrant } from "../../authorization.ts";
import type { LogEntry } from "../../lib/observability/log.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";

/**
 * The last warnings and errors of the log, newest first. For administrators: they tell of all documents.
 * @throws AppError `forbidden`
 */
export function listRecentProblems({ log }: Context, grant: UserGrant): readonly LogEntry[] {
  guardAdmin(grant, "read its log");
  return log.recentProblems().toReversed();
}
