import type { DocumentGrant } from "../authorization.ts";
import { guarded } from "../lib/callbacks.ts";
import { nextChunk, releaseCursor, type RenderedState } from "../services/documents/content.ts";
import type { Context } from "../services/context.ts";
import type { GivenAnswer } from "../services/idempotency/kept-answers.ts";
import { formatDocumentId } from "../wire/documents/documents.ts";
import type { Call } from "./call.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export interface ResponseOptions {
  status?: number;
  headers?: Record<string, string>;
}

/**
 * The runtime writes the head of a response that is created later than its request, and whose body has at least this
 * size, in many small packets: four for each header. It writes the head of a stream in one.
 */
const MIN_STREAMED_BYTES = 15_360;

/** Returns the body of a response with these bytes, in the form that takes the fewest packets. */
export const bodyOf = (bytes: Uint8Array): Bun.BodyInit =>
  bytes.length < MIN_STREAMED_BYTES ? (bytes as Uint8Array<ArrayBuffer>) : streamOf(bytes);

const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });

/** Returns a JSON response. */
export const jsonResponse = (value: unknown, { status = 200, headers = {} }: ResponseOptions = {}): Response => {
  const content = JSON.stringify(value);
  if (observed) observed.content = { status, form: "json", content };
  return new Response(jsonBody(content), { status, headers: { "Content-Type": JSON_TYPE, ...headers } });
};

/** A character takes at most four bytes. */
const jsonBody = (json: string): Bun.BodyInit =>
  json.length < MIN_STREAMED_BYTES / 4 ? json : bodyOf(Buffer.from(json));

/** Returns the id of a document, in the configured form. */
export const documentIdResponse = ({ config }: Pick<Call, "config">, uuid: string): Response =>
  jsonResponse(formatDocumentId(uuid, config.docIds));

/** Returns a response of rendered JSON; `state` is the past state that it is from. */
export const jsonBytesResponse = (bytes: Uint8Array, { state }: { state?: number } = {}): Response =>
  new Response(bodyOf(bytes), { headers: { "Content-Type": JSON_TYPE, ...stateHeader(state) } });

/** Returns the header of responses from past states. */
const stateHeader = (state: number | undefined): Readonly<Record<string, string>> =>
  state === undefined ? {} : { "X-Quern-State": String(state) };

const TEXT_TYPE = "text/plain; charset=utf-8";

/** Returns a plain text response. */
export const textResponse = (value: string): Response => {
  if (observed) observed.content = { status: 200, form: "text", content: value };
  return new Response(value, { headers: { "Content-Type": TEXT_TYPE } });
};

/** The content of the response that is created while `withContent` runs. */
let observed: { content: GivenAnswer | null } | null = null;

/** Runs synchronous work, and also returns the content of the last response that it created. */
export function withContent<T>(work: () => T): { readonly result: T; readonly content: GivenAnswer | null } {
  const own: NonNullable<typeof observed> = { content: null };
  observed = own;
  try {
    return { result: work(), content: own.content };
  } finally {
    observed = null;
  }
}

/** Reads the content of a response, which can still be sent. */
export async function contentOf(response: Response): Promise<GivenAnswer> {
  const form = response.headers.get("Content-Type") === TEXT_TYPE ? "text" : "json";
  return { status: response.status, form, content: await response.clone().text() };
}

/** Returns a response with the content of an earlier one. */
export function contentResponse({ status, form, content }: GivenAnswer): Response {
  const job = status === 202 ? (JSON.parse(content) as { id?: unknown }).id : undefined;
  const headers = {
    "Content-Type": form === "text" ? TEXT_TYPE : JSON_TYPE,
    ...(typeof job === "string" && { Location: `/api/jobs/${job}` }),
  };
  return new Response(bodyOf(Buffer.from(content)), { status, headers });
}

/**
 * Returns a response rendered by a document's worker: 304, bytes, or a stream with backpressure. JSON unless `headers`
 * sets another type.
 */
export function renderedResponse(
  ctx: Context,
  grant: DocumentGrant,
  result: RenderedState,
  extraHeaders: Readonly<Record<string, string>> = {},
): Response {
  // Responses to POST have no ETag: clients do not revalidate them.
  const tag = result.tag === "" ? {} : { ETag: `"${result.tag}"`, "Cache-Control": "private, no-cache" };
  const headers = { ...tag, "Content-Type": JSON_TYPE, ...stateHeader(result.state), ...extraHeaders };
  switch (result.kind) {
    case "unchanged":
      return new Response(null, { status: 304, headers });
    case "bytes":
      return new Response(bodyOf(result.bytes), { headers });
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
      // An empty chunk is not the end of the stream.
      while (bytes === null || bytes.length === 0) {
        bytes = await nextChunk(ctx, grant, cursor);
        if (bytes === null) return controller.close();
      }
      controller.enqueue(bytes);
    },
    cancel: guarded(() => releaseCursor(ctx, grant, cursor)),
  });
}
