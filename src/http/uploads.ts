import { join } from "node:path";
import type { IncomingUpload } from "../services/imports/uploads.ts";
import { readChunks, requirePlainEncoding } from "./body.ts";
import type { Call } from "./call.ts";

/**
 * The body of a request that uploads, not yet read. It may take long, as long as something comes.
 * @throws AppError `unsupportedMedia` for a compressed body
 */
export function incomingUpload(call: Call): IncomingUpload {
  const { request, config } = call;
  requirePlainEncoding(request);
  const contentLength = request.headers.get("content-length");
  return {
    source: {
      type: request.headers.get("content-type"),
      sizeBytes: contentLength === null ? null : Number(contentLength),
      chunks: request.body ? chunksExtendingDeadline(call, request.body) : null,
    },
    signal: request.signal,
    limits: { folder: join(config.data, "tmp"), maxBytes: config.maxUpload },
  };
}

/** As `incoming`, with the limits of attachments. */
export function incomingAttachmentUpload(call: Call): IncomingUpload {
  const { source, limits, signal } = incomingUpload(call);
  const { maxAttachment, maxAttachments } = call.config;
  return { source, signal, limits: { ...limits, maxFileBytes: maxAttachment, maxFiles: maxAttachments } };
}

async function* chunksExtendingDeadline(call: Call, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of readChunks(call, body)) {
    // However large it is: what has come was no waste of time.
    call.accounting.extendDeadline();
    yield chunk;
  }
}
