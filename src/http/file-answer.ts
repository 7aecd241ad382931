import { sha256Hex } from "../lib/ids.ts";
import type { OpenedAttachment } from "../services/attachments.ts";
import { json } from "./answers.ts";
import { tagsOf } from "./conditions.ts";
import { disposition } from "./disposition.ts";

export interface FileAnswerOptions {
  /** What the file is called instead. */
  readonly name?: string | undefined;
  /** Let a browser show it. */
  readonly inline: boolean;
}

/** A file that a user brought may hold anything: nothing in it runs. */
const CONFINED = { "Content-Security-Policy": "sandbox; default-src 'none'" } as const;

/** A file, or the part that is asked for; 304 where the caller has it, 416 where it has no such part. */
export async function fileAnswer(
  request: Request,
  file: OpenedAttachment,
  { name, inline }: FileAnswerOptions,
): Promise<Response> {
  const { sizeBytes, type } = file;
  const tag = sha256Hex(file.version).slice(0, 32);
  const kind = inline && !/^(text\/html|application\/xhtml\+xml)\b/.test(type) ? "inline" : "attachment";
  const headers = {
    ETag: `"${tag}"`,
    "Cache-Control": "private, max-age=3600",
    "Accept-Ranges": "bytes",
    ...CONFINED,
  };
  const known = request.headers.get("if-none-match");
  if (known !== null && (known.trim() === "*" || tagsOf(known).includes(tag))) {
    return new Response(null, { status: 304, headers });
  }
  const about = { ...headers, "Content-Type": type, "Content-Disposition": disposition(name || file.name, kind) };
  const range = rangeOf(request, { sizeBytes, tag });
  if (range && range.start >= range.end) {
    const none = { ...headers, "Content-Range": `bytes */${sizeBytes}` };
    return json({ error: `The file has only ${sizeBytes} bytes` }, { status: 416, headers: none });
  }
  const length = range ? range.end - range.start : sizeBytes;
  const sized = { ...about, "Content-Length": String(length) };
  const partial = range && { "Content-Range": `bytes ${range.start}-${range.end - 1}/${sizeBytes}` };
  const status = range ? 206 : 200;
  // Hono would throw away the body of an answer to HEAD without giving up the reading of it.
  const body = request.method === "HEAD" ? null : await file.read(range ?? undefined);
  return new Response(body, { status, headers: { ...sized, ...partial } });
}

interface Whole {
  readonly sizeBytes: number;
  readonly tag: string;
}

/**
 * The part that a request asks for, empty where the file does not have it; null for all of it, which is also the answer
 * to a range that is not understood, consists of several parts, or belongs to another version.
 */
function rangeOf({ headers, method }: Request, { sizeBytes, tag }: Whole): { start: number; end: number } | null {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(headers.get("range")?.replaceAll(/\s/g, "") ?? "");
  if (!asked || method !== "GET") return null;
  const [first = "", last = ""] = asked.slice(1);
  if (first === "" && last === "") return null;
  const condition = headers.get("if-range");
  if (condition !== null && condition !== `"${tag}"`) return null;
  const start = first === "" ? Math.max(sizeBytes - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  return { start, end };
}
