import { randomRef } from "../../lib/ids.ts";
import { shortIdOf, uuidOfShortId } from "../../lib/short-id.ts";

/**
 * The public id of a job begins with its document, so that a request about it can be answered by the server of a cluster
 * that owns the document.
 */
export const formatJobId = (uuid: string, id: string): string => `${shortIdOf(uuid)}-${id}`;

/** Returns a new id within a document. */
export const newJobId = (): string => randomRef();

/** Returns the document and the id within it; null for any other text. */
export function parseJobId(text: string): { readonly uuid: string; readonly id: string } | null {
  const [, document = "", id = ""] = /^([1-9A-Za-z]{22})-([1-9A-Za-z]{22})$/.exec(text) ?? [];
  const uuid = uuidOfShortId(document);
  return uuid === null ? null : { uuid, id };
}
