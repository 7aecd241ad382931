import { join } from "node:path";
import type { Incoming } from "../services/uploads.ts";
import type { Call } from "./call.ts";

/** The body of a request that uploads, not yet read. It may take its time. */
export function incoming({ request, config, takeTime }: Call): Incoming {
  takeTime();
  const declared = request.headers.get("content-length");
  return {
    source: {
      type: request.headers.get("content-type"),
      sizeBytes: declared === null ? null : Number(declared),
      body: request.body,
    },
    limits: { folder: join(config.data, "tmp"), maxBytes: config.maxUpload },
  };
}

/** As `incoming`, with the limits of attachments. */
export function incomingAttachments(call: Call): Incoming {
  const { source, limits } = incoming(call);
  const { maxAttachment, maxAttachments } = call.config;
  return { source, limits: { ...limits, maxFileBytes: maxAttachment, maxFiles: maxAttachments } };
}
