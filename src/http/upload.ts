import { join } from "node:path";
import type { Incoming } from "../services/uploads.ts";
import { chunksOf, requirePlainEncoding } from "./body.ts";
import type { Call } from "./call.ts";

/**
 * The body of a request that uploads, not yet read. It may take long, as long as something comes.
 * @throws AppError `unsupportedMedia` for a compressed body
 */
export function incoming(call: Call): Incoming {
  const { request, config } = call;
  requirePlainEncoding(request);
  const declared = request.headers.get("content-length");
  return {
    source: {
      type: request.headers.get("content-type"),
      sizeBytes: declared === null ? null : Number(declared),
      chunks: request.body ? patientChunks(call, request.body) : null,
    },
    signal: request.signal,
    limits: { folder: join(config.data, "tmp"), maxBytes: config.maxUpload },
  };
}

/** As `incoming`, with the limits of attachments. */
export function incomingAttachments(call: Call): Incoming {
  const { source, limits, signal } = incoming(call);
  const { maxAttachment, maxAttachments } = call.config;
  return { source, signal, limits: { ...limits, maxFileBytes: maxAttachment, maxFiles: maxAttachments } };
}

async function* patientChunks(call: Call, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(call, body)) {
    // However large it is: what has come was no waste of time.
    call.accounting.takeTime();
    yield chunk;
  }
}
