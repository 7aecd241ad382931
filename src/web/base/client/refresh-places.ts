/** Refreshes a page that lists documents, with the sites and workspaces in its sidebar. */
import { findOptional } from "./dom.ts";
import { refreshParts } from "./refresh.ts";
import { initTree } from "./tree.ts";

/**
 * @param ids of the parts of the page
 * @throws Failure
 */
export async function refreshWithPlaces(ids: readonly string[]): Promise<void> {
  await refreshParts([...ids, "places"]);
  const tree = findOptional("#places .tree");
  if (tree) initTree(tree);
}
