import type { AttachmentInfo } from "./types/answers.ts";
import type { RequestOptions, Send, Transport, WriteRequestOptions } from "./transport.ts";

/** What a file consists of. */
export type FileContent = Blob | string | ArrayBuffer | Uint8Array<ArrayBuffer>;

/** A file to upload: a `File` of a page, or content with a name. */
export type UploadedFile = File | { readonly name: string; readonly data: FileContent };

export interface Progress {
  /** Bytes that were sent. */
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface UploadOptions extends WriteRequestOptions {
  /** Called while bytes are sent; again from the beginning when the request is repeated. */
  readonly onProgress?: (progress: Progress) => void;
}

/** A cell that contains the attachment: required if access rules hide cells from the caller. */
export interface DownloadOptions extends RequestOptions {
  readonly tableId?: string;
  readonly colId?: string;
  readonly rowId?: number;
}

const CHUNK_BYTES = 65_536;

/** The part of `XMLHttpRequest` that uploads need; only pages have it. */
interface PageRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: {
    addEventListener(type: "progress", listener: (event: { loaded: number; total: number }) => void): void;
  };
  addEventListener(type: "load" | "error" | "abort" | "loadend", listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
}

const pageRequest = (): (new () => PageRequest) | undefined =>
  (globalThis as { XMLHttpRequest?: new () => PageRequest }).XMLHttpRequest;

/** The attachments of a document. */
export class Attachments {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, path: string) {
    this.#transport = transport;
    this.#path = path;
  }

  /** Uploads files, and returns their ids: `{ Files: toList(ids) }` puts them into a cell. */
  upload(files: readonly UploadedFile[], options: UploadOptions = {}): Promise<number[]> {
    const { onProgress, signal, idempotencyKey } = options;
    const { body, type } = formOf(files);
    const headers = { "Content-Type": type };
    const Request = pageRequest();
    const send = onProgress && (Request ? sendInPage(Request) : sendStream)(body, onProgress);
    return this.#transport.json("POST", this.#path, { body, headers, signal, idempotencyKey }, send);
  }

  /** Returns the response with the content: `await (await download(7)).blob()`. */
  download(id: number, options: DownloadOptions = {}): Promise<Response> {
    const { signal, ...query } = options;
    return this.#transport.request("GET", `${this.#path}/${id}/download`, { query, signal });
  }

  /** Returns the name, size and time of an attachment. */
  info(id: number, options: DownloadOptions = {}): Promise<AttachmentInfo> {
    const { signal, ...query } = options;
    return this.#transport.json("GET", `${this.#path}/${id}`, { query, signal });
  }
}

/** Returns a form of files: unlike `FormData`, it has a size, and is the same when the request is repeated. */
function formOf(files: readonly UploadedFile[]): { body: Blob; type: string } {
  const boundary = `quern-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  const parts = files.flatMap((file): FileContent[] => {
    const data = file instanceof Blob ? file : file.data;
    const name = file.name.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
    const type = (data instanceof Blob && data.type) || "application/octet-stream";
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="upload"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
    return [head, data, "\r\n"];
  });
  return { body: new Blob([...parts, `--${boundary}--\r\n`]), type: `multipart/form-data; boundary=${boundary}` };
}

type Sender = (body: Blob, onProgress: (progress: Progress) => void) => Send;

/** In pages: their `fetch` reports no progress. */
const sendInPage =
  (Request: new () => PageRequest): Sender =>
  (body, onProgress) =>
  (url, init) =>
    new Promise((resolve, reject) => {
      const { signal } = init;
      if (signal?.aborted) return reject(signal.reason as Error);
      const request = new Request();
      const abort = () => request.abort();
      request.open(init.method ?? "POST", url);
      for (const [name, value] of Object.entries(init.headers as Record<string, string>))
        request.setRequestHeader(name, value);
      request.upload.addEventListener("progress", ({ loaded, total }) =>
        onProgress({ sentBytes: loaded, totalBytes: total }),
      );
      request.addEventListener("load", () => resolve(responseOf(request)));
      request.addEventListener("error", () => reject(new TypeError("The upload failed")));
      request.addEventListener("abort", () => reject(signal?.reason as Error));
      request.addEventListener("loadend", () => signal?.removeEventListener("abort", abort));
      signal?.addEventListener("abort", abort);
      request.send(body);
    });

function responseOf(request: PageRequest): Response {
  const headers = new Headers();
  for (const line of request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const [name = "", ...rest] = line.split(": ");
    if (name !== "") headers.append(name, rest.join(": "));
  }
  return new Response(request.responseText, { status: request.status, headers });
}

/** In all other runtimes: a stream that counts the bytes that were taken from it. */
const sendStream: Sender = (body, onProgress) => (url, init) => {
  let sentBytes = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = new Uint8Array(await body.slice(sentBytes, sentBytes + CHUNK_BYTES).arrayBuffer());
      sentBytes += chunk.length;
      if (chunk.length > 0) controller.enqueue(chunk);
      onProgress({ sentBytes, totalBytes: body.size });
      if (sentBytes >= body.size) controller.close();
    },
  });
  return fetch(url, { ...init, body: stream, duplex: "half" } as RequestInit);
};
