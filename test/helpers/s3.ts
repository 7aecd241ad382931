/** A fake S3-compatible server: over HTTP, in memory, with the operations that our client uses. */

export interface S3Request {
  readonly method: string;
  readonly key: string;
  readonly query: string;
}

export interface S3Server extends Disposable {
  readonly endpoint: string;
  /** Stored objects by key. */
  readonly objects: Map<string, Uint8Array<ArrayBuffer>>;
  /** Received requests, in order. */
  readonly requests: S3Request[];
  /** Answers all requests with 503. */
  failing: boolean;
  /** Answers all requests with 429. */
  throttling: boolean;
}

export const S3_ACCESS = { accessKeyId: "test-access-key", secretAccessKey: "test-secret-key" } as const;

const BUCKET = "files";
export const S3_BUCKET = BUCKET;

/** Starts a server with one bucket. @param hostname where it listens */
export function startS3Server({ hostname = "127.0.0.1" } = {}): S3Server {
  const objects = new Map<string, Uint8Array<ArrayBuffer>>();
  const uploads = new Map<string, Map<number, Uint8Array<ArrayBuffer>>>();
  const requests: S3Request[] = [];
  const state = { failing: false, throttling: false };
  const server = Bun.serve({
    port: 0,
    hostname,
    maxRequestBodySize: 2 ** 31,
    async fetch(request) {
      const url = new URL(request.url);
      const [, bucket, ...rest] = url.pathname.split("/");
      const key = decodeURIComponent(rest.join("/"));
      requests.push({ method: request.method, key, query: url.search });
      if (state.failing) return failure(503, "ServiceUnavailable");
      if (state.throttling) return failure(429, "SlowDown");
      if (!isSigned(request)) return failure(403, "SignatureDoesNotMatch");
      if (bucket !== BUCKET) return failure(404, "NoSuchBucket");
      return answer(request, key, url.searchParams, { objects, uploads });
    },
  });
  return {
    endpoint: server.url.origin,
    objects,
    requests,
    get failing() {
      return state.failing;
    },
    set failing(value) {
      state.failing = value;
    },
    get throttling() {
      return state.throttling;
    },
    set throttling(value) {
      state.throttling = value;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Does not verify the signature itself, but that there is one with the right key over the sent headers. */
function isSigned(request: Request): boolean {
  const authorization = request.headers.get("authorization") ?? "";
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/[\w-]+\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, access, signed = ""] = parts.exec(authorization) ?? [];
  return access === S3_ACCESS.accessKeyId && signed.split(";").every((name) => request.headers.has(name));
}

interface BucketContents {
  readonly objects: Map<string, Uint8Array<ArrayBuffer>>;
  readonly uploads: Map<string, Map<number, Uint8Array<ArrayBuffer>>>;
}

async function answer(request: Request, key: string, query: URLSearchParams, shelf: BucketContents): Promise<Response> {
  const { objects } = shelf;
  switch (request.method) {
    case "GET":
    case "HEAD":
      return key === "" ? list(objects, query) : get(request, objects.get(key));
    case "PUT":
      return put(shelf, key, query, new Uint8Array(await request.arrayBuffer()));
    case "POST":
      return post(shelf, key, query);
    case "DELETE":
      objects.delete(key);
      return new Response(null, { status: 204 });
    default:
      return failure(405, "MethodNotAllowed");
  }
}

function get(request: Request, bytes: Uint8Array<ArrayBuffer> | undefined): Response {
  if (!bytes) return failure(404, "NoSuchKey");
  const headers = { ETag: '"etag"', "Content-Length": String(bytes.length), "Last-Modified": new Date().toUTCString() };
  if (request.method === "HEAD") return new Response(null, { headers });
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "");
  if (!range) return new Response(bytes, { headers: { ETag: headers.ETag } });
  const start = Number(range[1]);
  const end = range[2] ? Math.min(Number(range[2]) + 1, bytes.length) : bytes.length;
  if (start >= bytes.length) return failure(416, "InvalidRange");
  const contentRange = `bytes ${start}-${end - 1}/${bytes.length}`;
  return new Response(bytes.slice(start, end), { status: 206, headers: { "Content-Range": contentRange } });
}

function put(
  { objects, uploads }: BucketContents,
  key: string,
  query: URLSearchParams,
  bytes: Uint8Array<ArrayBuffer>,
): Response {
  const upload = query.get("uploadId");
  if (upload === null) objects.set(key, bytes);
  else uploads.get(upload)?.set(Number(query.get("partNumber")), bytes);
  return new Response(null, { headers: { ETag: '"etag"' } });
}

function post({ objects, uploads }: BucketContents, key: string, query: URLSearchParams): Response {
  if (query.has("uploads")) {
    const id = `upload-${uploads.size + 1}`;
    uploads.set(id, new Map());
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  const parts = uploads.get(query.get("uploadId") ?? "");
  if (!parts) return failure(404, "NoSuchUpload");
  const ordered = [...parts].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes);
  objects.set(key, new Uint8Array(Buffer.concat(ordered)));
  return xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
}

/** Page size of two, so that every test covers pagination. */
const PAGE = 2;

function list(objects: BucketContents["objects"], query: URLSearchParams): Response {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const page = keys.slice(0, PAGE);
  const contents = page.map((key) => {
    const size = objects.get(key)?.length ?? 0;
    return `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${new Date().toISOString()}</LastModified></Contents>`;
  });
  const more = keys.length > page.length;
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  return xml(
    `<ListBucketResult><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${PAGE}</MaxKeys><IsTruncated>${more}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`,
  );
}

const failure = (status: number, code: string): Response =>
  xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, status);

const xml = (text: string, status = 200): Response =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    status,
    headers: { "Content-Type": "application/xml" },
  });
