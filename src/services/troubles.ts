import type { UserGrant } from "../access.ts";
import { forbidden } from "../errors.ts";
import type { LogEntry } from "../lib/log.ts";
import type { Context } from "./context.ts";

/**
 * The last warnings and errors of the log, newest first. For administrators: they tell of all documents.
 * @throws AppError `forbidden`
 */
export function listTroubles({ log }: Context, grant: UserGrant): readonly LogEntry[] {
  if (!grant.actor.isAdmin) throw forbidden("Only administrators of the installation may read its log");
  return log.troubles().toReversed();
}
