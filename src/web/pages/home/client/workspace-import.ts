/** Imports a file as a new document, with its preview. */
import { api } from "../../../base/client/api.ts";
import type { ImportDone, ImportSource, RunningImport } from "../../../base/client/import/import-target.ts";
import { openImportWindow } from "../../../base/client/import/import-window.ts";
import type { ImportedDocument } from "../../../../wire/documents/documents.ts";
import { documentPagePath } from "./actions.ts";

interface WorkspaceImportOptions {
  readonly source?: ImportSource | undefined;
  readonly maxBytes: number;
}

export function openWorkspaceImport(workspaceId: string, { source, maxBytes }: WorkspaceImportOptions): void {
  const path = `/api/workspaces/${encodeURIComponent(workspaceId)}`;
  const run = async ({ query, body, saved }: RunningImport): Promise<ImportDone> => {
    const { id, title } = await api<ImportedDocument>(`${path}/import`, { method: "POST", query, body });
    const { documentName } = body;
    const href = documentPagePath(id);
    saved();
    location.assign(href);
    return { name: typeof documentName === "string" ? documentName : title, href };
  };
  openImportWindow({ path, maxBytes, document: null, run }, source);
}
