import type { IncomingUpload } from "../services/imports/uploads.ts";
import { readChunks, requirePlainEncoding } from "./body.ts";
import type { Call } from "./call.ts";

/**
 * Returns the unread body of an upload. It may take long, as long as bytes arrive.
 * @throws AppError `unsupportedMedia` for a compressed body
 */
export function incomingUpload(call: Call): IncomingUpload {
  const { request } = call;
  requirePlainEncoding(request);
  const contentLength = request.headers.get("content-length");
  return {
    source: {
      type: request.headers.get("content-type"),
      sizeBytes: contentLength === null ? null : Number(contentLength),
      chunks: request.body ? chunksExtendingDeadline(call, request.body) : null,
    },
    ...incomingFile(call),
  };
}

/** Returns how a file is received that is not in the body. */
export const incomingFile = ({ request, config, ctx }: Call): Pick<IncomingUpload, "limits" | "signal"> => ({
  signal: request.signal,
  limits: { folder: ctx.temporary.folder, maxBytes: config.maxUpload, space: ctx.temporary },
});

/** Like `incomingUpload`, with the limits of attachments. */
export function incomingAttachmentUpload(call: Call): IncomingUpload {
  const { source, limits, signal } = incomingUpload(call);
  const { maxAttachment, maxAttachments } = call.config;
  return { source, signal, limits: { ...limits, maxFileBytes: maxAttachment, maxFiles: maxAttachments } };
}

/** As `incomingAttachmentUpload`, for pages: they get the calls of this server, of which their type says less. */
export const incomingForm = (call: object): IncomingUpload => incomingAttachmentUpload(call as Call);

async function* chunksExtendingDeadline(call: Call, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of readChunks(call, body)) {
    // Received bytes extend the deadline, whatever the size of the upload.
    call.accounting.extendDeadline();
    yield chunk;
  }
}
