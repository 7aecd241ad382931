import type { DocumentGrant } from "../authorization.ts";
import { guarded } from "../lib/callbacks.ts";
import { nextChunk, releaseCursor, type Rendered } from "../services/documents/content.ts";
import type { Context } from "../services/context.ts";
import { formatDocumentId } from "../wire/documents/documents.ts";
import type { Call } from "./call.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export interface ResponseOptions {
  status?: number;
  headers?: Record<string, string>;
}

/** A JSON answer. */
export const jsonResponse = (value: unknown, { status = 200, headers = {} }: ResponseOptions = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { "Content-Type": JSON_TYPE, ...headers } });

/** The id of a document, in the form that the server is set to show. */
export const documentIdResponse = ({ config }: Pick<Call, "config">, uuid: string): Response =>
  jsonResponse(formatDocumentId(uuid, config.docIds));

/** JSON that was rendered elsewhere. */
export const jsonBytesResponse = (bytes: Uint8Array): Response =>
  new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { "Content-Type": JSON_TYPE } });

/** A plain text answer. */
export const textResponse = (value: string): Response =>
  new Response(value, { headers: { "Content-Type": "text/plain; charset=utf-8" } });

/**
 * An answer rendered by a document's host: 304, the bytes, or a stream of them that is read as fast as it is taken.
 * JSON unless `more` says otherwise.
 */
export function renderedResponse(
  ctx: Context,
  grant: DocumentGrant,
  result: Rendered,
  extraHeaders: Readonly<Record<string, string>> = {},
): Response {
  // Answers to POST have no tag: nobody asks for them again conditionally.
  const tag = result.tag === "" ? {} : { ETag: `"${result.tag}"`, "Cache-Control": "private, no-cache" };
  const headers = { ...tag, "Content-Type": JSON_TYPE, ...extraHeaders };
  switch (result.kind) {
    case "unchanged":
      return new Response(null, { status: 304, headers });
    case "bytes":
      return new Response(result.bytes as Uint8Array<ArrayBuffer>, { headers });
    case "cursor":
      return new Response(streamChunks(ctx, grant, result), { headers });
    default:
      return result satisfies never;
  }
}

function streamChunks(
  ctx: Context,
  grant: DocumentGrant,
  { first, cursor }: { first: Uint8Array; cursor: string },
): ReadableStream<Uint8Array> {
  let pending: Uint8Array | null = first;
  return new ReadableStream({
    async pull(controller) {
      let bytes = pending;
      pending = null;
      // Nothing to give yet is no end.
      while (bytes === null || bytes.length === 0) {
        bytes = await nextChunk(ctx, grant, cursor);
        if (bytes === null) return controller.close();
      }
      controller.enqueue(bytes);
    },
    cancel: guarded(() => releaseCursor(ctx, grant, cursor)),
  });
}
