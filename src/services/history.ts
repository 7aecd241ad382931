import type { DocumentGrant } from "../access.ts";
import type { Context } from "./context.ts";

export interface CompareDocumentsOptions {
  /** Tells also what happened in each since they parted. */
  readonly detail: boolean;
  /** Of a change of more rows at once, the cells of only so many are told. */
  readonly maxRows: number | undefined;
}

/**
 * How the histories of two documents relate, as JSON. Each document tells its own part, so both may change meanwhile;
 * what is told is about the states they were in when asked.
 * @throws AppError `invalid` when there is too much to be told
 */
export async function compareDocuments(
  { documents }: Context,
  grants: { left: DocumentGrant; right: DocumentGrant },
  { detail, maxRows }: CompareDocumentsOptions,
): Promise<Uint8Array> {
  const others = await documents.call(grants.right, "history.states", {});
  const relation = await documents.call(grants.left, "history.relate", { others });
  const { parent } = relation;
  const head = JSON.stringify(relation);
  if (!parent || !detail) return Buffer.from(head);
  const changes = async (side: "left" | "right") => {
    const args = { left: parent.h, right: relation[side].h, maxRows };
    return (await documents.call(grants[side], "history.changes", args)).bytes;
  };
  return Buffer.concat([
    Buffer.from(`${head.slice(0, -1)},"details":{"leftChanges":`),
    await changes("left"),
    Buffer.from(`,"rightChanges":`),
    await changes("right"),
    Buffer.from("}}"),
  ]);
}
