import { searchDocument } from "../../services/documents/content.ts";
import { listRecentDocuments } from "../../services/documents/recent-documents.ts";
import { searchDocuments } from "../../services/documents/search.ts";
import { DocParams } from "../../wire/common/params.ts";
import { withFormattedId } from "../../wire/documents/documents.ts";
import { FoundDocuments, RecentDocuments, SearchQuery, SearchResults } from "../../wire/documents/search.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { jsonResponse, renderedResponse } from "../responses.ts";
import { anyoneAccess, documentContentAccess, signedInAccess } from "../route-access.ts";
import { route, type Route } from "../route.ts";

export const searchRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/search",
      id: "searchDocument",
      tag: "records",
      summary: "Search the texts of all tables",
      about:
        "Searches texts and choices in the rows and columns that the caller can read, and ranks records by their own matches: whole cells before whole words, beginnings of words, and parts of words.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: SearchQuery,
      headers: ConditionalHeaders,
      response: SearchResults,
    },
    async ({ call, ctx, grant, query: { q, limit } }) => {
      const args = { query: q, limit, condition: requestCondition(call, grant) };
      return renderedResponse(ctx, grant, await searchDocument(ctx, grant, args));
    },
  ),
  route(
    {
      method: "get",
      path: "/api/search",
      id: "searchDocuments",
      tag: "documents",
      summary: "Search documents by name",
      about: "Finds documents on all sites that the caller can open, without those in the trash.",
      access: anyoneAccess,
      query: SearchQuery,
      response: FoundDocuments,
    },
    ({ call, ctx, grant, query }) => {
      const found = searchDocuments(ctx, grant, query);
      return jsonResponse({ documents: found.map((document) => withFormattedId(document, call.config.docIds)) });
    },
  ),
  route(
    {
      method: "get",
      path: "/api/recent",
      id: "listRecentDocuments",
      tag: "documents",
      summary: "List the documents that the caller opened last",
      about:
        "Documents whose pages the caller opened in a browser, at most 20, the most recent one first. Without documents that " +
        "the caller cannot open any more, that are in the trash, or disabled.",
      access: signedInAccess,
      response: RecentDocuments,
    },
    ({ call, ctx, grant }) => {
      const found = listRecentDocuments(ctx, grant);
      return jsonResponse({ documents: found.map((document) => withFormattedId(document, call.config.docIds)) });
    },
  ),
];
