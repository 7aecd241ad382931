import type { Api } from "../load/api.ts";

/** Creates a document with a table Items; returns its UUID. */
export async function createItems(api: Api, workspace: number, name: string): Promise<string> {
  const document = await api.send<string>("POST", `/workspaces/${workspace}/docs`, { name });
  const columns = [
    { id: "Token", fields: { type: "Text" } },
    { id: "Note", fields: { type: "Text" } },
    { id: "File", fields: { type: "Attachments" } },
  ];
  await api.send("POST", `/docs/${document}/tables`, { tables: [{ id: "Items", columns }] });
  return document;
}
