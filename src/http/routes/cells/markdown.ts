import { DocParams } from "../../../wire/common/params.ts";
import { MARKDOWN_TAGS, MarkdownBody, MarkdownResult } from "../../../wire/documents/markdown.ts";
import { jsonResponse } from "../../responses.ts";
import { documentContentAccess } from "../../route-access.ts";
import { jsonBody, route, type Route } from "../../route.ts";

export const markdownRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/markdown",
      id: "renderMarkdown",
      tag: "records",
      summary: "Render texts of cells in Markdown",
      about:
        "Returns the given texts as lists of tokens, from which a page makes elements. HTML is text, links lead to http, https and mailto only, and images are links. Nothing of the document is read.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      body: jsonBody(MarkdownBody),
      idempotency: "ignored",
      response: MarkdownResult,
    },
    async ({ body: { texts } }) => {
      // Most documents have no Markdown.
      const { markdownTokens } = await import("../../../lib/markdown/markdown-tokens.ts");
      return jsonResponse({ texts: texts.map((text) => markdownTokens(text, MARKDOWN_TAGS)) });
    },
  ),
];
