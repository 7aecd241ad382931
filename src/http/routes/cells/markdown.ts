import { yieldToEventLoop } from "../../../lib/time/timers.ts";
import { DocParams } from "../../../wire/common/params.ts";
import { MARKDOWN_TAGS, MarkdownBody, MarkdownResult, type MarkdownToken } from "../../../wire/documents/markdown.ts";
import { jsonResponse } from "../../responses.ts";
import { documentContentAccess } from "../../route-access.ts";
import { jsonBody, route, type Route } from "../../route.ts";

/** Texts up to this length are rendered without a break. */
const MAX_UNINTERRUPTED_LENGTH = 1000;

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
      const rendered: MarkdownToken[][] = [];
      for (const text of texts) {
        // A long text can take a tenth of a second.
        if (text.length > MAX_UNINTERRUPTED_LENGTH) await yieldToEventLoop();
        rendered.push(markdownTokens(text, MARKDOWN_TAGS));
      }
      return jsonResponse({ texts: rendered });
    },
  ),
];
