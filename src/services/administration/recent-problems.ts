import type { UserGrant } from "../../authorization.ts";
import type { LogEntry } from "../../lib/observability/log.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";

/**
 * Returns the latest warnings and errors of the log, newest first. For administrators: they cover all documents.
 * @throws AppError `forbidden`
 */
export function listRecentProblems({ log }: Context, grant: UserGrant): readonly LogEntry[] {
  guardAdmin(grant, "view the log");
  return log.recentProblems().toReversed();
}
