import { sha256Hex } from "../lib/ids.ts";
import type { OpenedAttachment } from "../services/attachments/attachments.ts";
import { jsonResponse } from "./responses.ts";
import { parseEntityTags } from "./conditional-requests.ts";
import { contentDisposition } from "./content-disposition.ts";

export interface FileResponseOptions {
  /** File name for the download. */
  readonly name?: string | undefined;
  /** Display the file in the browser. */
  readonly inline: boolean;
}

/** Uploaded files are untrusted: their scripts must not run. */
const SANDBOX = "sandbox; default-src 'none'";
/** What browsers show without scripts, but not in a sandbox; like all files it is never sniffed as another type. */
const SHOWN_TYPES = /^((audio|video)\/[\w.+-]+|application\/pdf)$/;
const SHOWN_ALONE = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Returns a file or the requested range; 304 if the client's copy is current, 416 if the range is outside the file. */
export async function fileResponse(
  request: Request,
  file: OpenedAttachment,
  { name, inline }: FileResponseOptions,
): Promise<Response> {
  const { sizeBytes, type } = file;
  const tag = sha256Hex(file.version).slice(0, 32);
  const kind = inline && !/^(text\/html|application\/xhtml\+xml)\b/.test(type) ? "inline" : "attachment";
  const headers = {
    ETag: `"${tag}"`,
    "Cache-Control": "private, max-age=3600",
    "Accept-Ranges": "bytes",
    "Content-Security-Policy": kind === "inline" && SHOWN_TYPES.test(type) ? SHOWN_ALONE : SANDBOX,
  };
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch !== null && (ifNoneMatch.trim() === "*" || parseEntityTags(ifNoneMatch).includes(tag))) {
    return new Response(null, { status: 304, headers });
  }
  const contentHeaders = {
    ...headers,
    "Content-Type": type,
    "Content-Disposition": contentDisposition(name || file.name, kind),
  };
  const range = parseRange(request, { sizeBytes, tag });
  if (range && range.start >= range.end) {
    const unsatisfiedHeaders = { ...headers, "Content-Range": `bytes */${sizeBytes}` };
    return jsonResponse(
      { error: `The range exceeds the file size of ${sizeBytes} bytes` },
      { status: 416, headers: unsatisfiedHeaders },
    );
  }
  const length = range ? range.end - range.start : sizeBytes;
  const fullHeaders = { ...contentHeaders, "Content-Length": String(length) };
  const rangeHeaders = range && { "Content-Range": `bytes ${range.start}-${range.end - 1}/${sizeBytes}` };
  const status = range ? 206 : 200;
  // Hono discards the body of a response to HEAD without cancelling its stream.
  const body = request.method === "HEAD" ? null : await file.read(range ?? undefined);
  return new Response(body, { status, headers: { ...fullHeaders, ...rangeHeaders } });
}

interface FileEntity {
  readonly sizeBytes: number;
  readonly tag: string;
}

/**
 * Returns the requested range, empty if it is outside the file; null for the whole file, also for ranges that are
 * invalid, have several parts, or belong to another version.
 */
function parseRange(
  { headers, method }: Request,
  { sizeBytes, tag }: FileEntity,
): { start: number; end: number } | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.get("range")?.replaceAll(/\s/g, "") ?? "");
  if (!match || method !== "GET") return null;
  const [first = "", last = ""] = match.slice(1);
  if (first === "" && last === "") return null;
  const ifRange = headers.get("if-range");
  if (ifRange !== null && ifRange !== `"${tag}"`) return null;
  const start = first === "" ? Math.max(sizeBytes - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  return { start, end };
}
