import type { DocumentPageContext } from "./page-guards.tsx";
import { readDocumentSettings } from "./document-settings.ts";
import type { PageContext } from "./page-context.ts";
import type { DataPage } from "./table-data.ts";

/**
 * Reads what pages with rows have in common.
 * @param eventId read before anything else: changes during the other reads are then received as events
 */
export async function readDataPage(
  c: PageContext,
  { grant, role, tables }: Pick<DocumentPageContext, "grant" | "role" | "tables">,
  eventId: string,
): Promise<DataPage> {
  const { ctx, config } = c.env.call;
  const settings = await readDocumentSettings(ctx, grant);
  const { snapshotsKeep, historyBytes: keptBytes, maxUpload: maxUploadBytes } = config;
  const keepsSnapshots = snapshotsKeep > 0;
  return { docId: grant.uuid, eventId, role, tables, settings, maxUploadBytes, keepsSnapshots, keptBytes };
}
