import type { DocumentGrant } from "../../authorization.ts";
import type { VerbArgs, VerbResult } from "../../hosts/verbs/verbs.ts";
import type { SavedQuery } from "../../wire/documents/queries.ts";
import type { Context } from "../context.ts";

type StoredQuery = VerbResult<"queries.add">;

/** Returns the saved queries of a document, by name. @throws AppError `forbidden` where rules hide something */
export async function listQueries({ documents }: Context, grant: DocumentGrant): Promise<SavedQuery[]> {
  return (await documents.call(grant, "queries.list", null)).map(shownQuery);
}

export const addQuery = async (
  { documents }: Context,
  grant: DocumentGrant,
  query: VerbArgs<"queries.add">,
): Promise<SavedQuery> => shownQuery(await documents.call(grant, "queries.add", query));

/** @throws AppError `notFound` */
export const modifyQuery = async (
  { documents }: Context,
  grant: DocumentGrant,
  args: VerbArgs<"queries.modify">,
): Promise<SavedQuery> => shownQuery(await documents.call(grant, "queries.modify", args));

/** @throws AppError `notFound` */
export async function removeQuery({ documents }: Context, grant: DocumentGrant, id: number): Promise<null> {
  return documents.call(grant, "queries.remove", { id });
}

const shownQuery = (query: StoredQuery): SavedQuery => ({
  ...query,
  args: [...query.args],
  createdAt: new Date(query.createdAt).toISOString(),
  updatedAt: new Date(query.updatedAt).toISOString(),
});
