/** Imports a file as a new document, with its preview. */
import { api } from "../../../base/client/api.ts";
import type { ImportDone, ImportSource, PlannedImport } from "../../../base/client/import/import-target.ts";
import { openImportWindow } from "../../../base/client/import/import-window.ts";
import type { ImportedDocument } from "../../../../wire/documents/documents.ts";
import { documentPagePath } from "./actions.ts";
import { refresh, runWithErrorToast } from "./refresh-home.ts";

interface WorkspaceImportOptions {
  readonly source?: ImportSource | undefined;
  readonly maxBytes: number;
}

export function openWorkspaceImport(workspaceId: string, { source, maxBytes }: WorkspaceImportOptions): void {
  const path = `/api/workspaces/${encodeURIComponent(workspaceId)}`;
  const run = async ({ query, body }: PlannedImport): Promise<ImportDone> => {
    const { id, title } = await api<ImportedDocument>(`${path}/import`, { method: "POST", query, body });
    void runWithErrorToast(refresh);
    const { documentName } = body;
    return { name: typeof documentName === "string" ? documentName : title, href: documentPagePath(id) };
  };
  openImportWindow({ path, maxBytes, document: null, run }, source);
}
