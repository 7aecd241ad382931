import { join } from "node:path";
import { assert } from "../lib/assert.ts";

/** Everything a document has lies in this folder. */
export function documentFolder(folder: string, uuid: string): string {
  // The names of folders are made of it.
  assert(/^[\w-]{1,64}$/.test(uuid), "a document's UUID is one");
  return join(folder, "docs", uuid);
}

/** Where a document's file lies. */
export const documentFile = (folder: string, uuid: string): string =>
  join(documentFolder(folder, uuid), "document.grist");
