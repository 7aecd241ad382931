/** Files that the server keeps for an import: sent with progress, read with progress, and removed by a cancel. */
import { api, ApiError } from "../api.ts";
import { t } from "../texts.ts";
import { uploadFile } from "../upload.ts";
import type { ImportSource, ImportTarget } from "./import-target.ts";

/** A file that the server keeps. */
export interface KeptFile {
  readonly uploadId: number;
  readonly name: string;
  readonly sizeBytes: number;
}

interface UploadReply {
  readonly uploadId: number;
  readonly files: readonly { readonly origName: string; readonly size: number }[];
}

/** What the server does with a file. */
export interface ServerProgress {
  readonly step: "reading" | "writing";
  readonly done: number;
  readonly total: number | null;
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (sent: number, total: number | null) => void;
}

/**
 * Sends a file, or has the server fetch one.
 * @throws Failure
 */
export async function keepFile(
  { path, maxBytes }: ImportTarget,
  source: ImportSource,
  options: SendOptions,
): Promise<KeptFile> {
  const reply = await send(`${path}/uploads`, source, { ...options, maxBytes });
  const [file] = reply.files;
  if (!file) throw new ApiError("refused", t("error.upload.invalid"), {});
  return { uploadId: reply.uploadId, name: file.origName, sizeBytes: file.size };
}

function send(path: string, source: ImportSource, options: SendOptions & { maxBytes: number }): Promise<UploadReply> {
  if ("url" in source) return api(path, { method: "POST", body: { url: source.url }, signal: options.signal });
  return uploadFile(path, source.file, options);
}

const uploadPath = ({ path }: ImportTarget, { uploadId }: KeptFile): string => `${path}/uploads/${uploadId}`;

/**
 * Removes a file, and stops the request that reads it, also while the page is being left. Failures are ignored: the server
 * removes it after an hour.
 */
export async function removeFile(target: ImportTarget, file: KeptFile): Promise<void> {
  await api(uploadPath(target, file), { method: "DELETE", keepalive: true }).catch(() => {});
}

const POLL_MS = 1000;

/** Reads the progress of a file every second. Returns a function that ends it. */
export function watchProgress(
  target: ImportTarget,
  file: KeptFile,
  onProgress: (progress: ServerProgress) => void,
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const read = async () => {
    try {
      const { progress } = await api<{ progress: ServerProgress | null }>(uploadPath(target, file), { signal });
      if (progress && !signal.aborted) onProgress(progress);
    } catch {
      // The request of the import reports its own failure.
    }
    if (!signal.aborted) timer = setTimeout(() => void read(), POLL_MS);
  };
  let timer = setTimeout(() => void read(), POLL_MS);
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}
