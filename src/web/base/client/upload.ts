/** Uploads with progress, which `fetch` does not report. */
import { ApiError, responseError, connectionError, SITE_PREFIX } from "./api.ts";
import { formatSize } from "../sizes.ts";
import { t } from "./texts.ts";

export interface UploadOptions {
  /** Called with the progress; `total` is null when unknown. */
  readonly onProgress?: (sent: number, total: number | null) => void;
  readonly signal?: AbortSignal;
}

/**
 * Posts a form with files and returns the JSON of the response.
 * @throws Failure
 */
export async function upload<T>(path: string, form: FormData, options: UploadOptions = {}): Promise<T> {
  const request = new XMLHttpRequest();
  const { signal, onProgress } = options;
  const completed = new Promise<void>((resolve, reject) => {
    request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) =>
      onProgress?.(loaded, lengthComputable ? total : null),
    );
    request.addEventListener("load", () => resolve());
    request.addEventListener("error", () => reject(connectionError(null)));
    request.addEventListener("abort", () => reject(abortedError()));
  });
  if (signal?.aborted) throw abortedError();
  signal?.addEventListener("abort", () => request.abort(), { once: true });
  request.open("POST", `${SITE_PREFIX}${path}`);
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
  request.send(form);
  await completed;
  if (request.status >= 200 && request.status < 300) return JSON.parse(request.responseText) as T;
  const headers = new Headers();
  const retryAfter = request.getResponseHeader("retry-after");
  if (retryAfter !== null) headers.set("retry-after", retryAfter);
  throw await responseError(request.status, headers, request.responseText);
}

/**
 * Posts a file as the field `upload` of a form, and returns the JSON of the response.
 * @throws Failure as `upload`; `refused` for a file of more than `maxBytes`
 */
export function uploadFile<T>(
  path: string,
  file: File,
  { maxBytes, ...options }: UploadOptions & { readonly maxBytes: number },
): Promise<T> {
  // The server would close the connection mid-upload, which browsers cannot distinguish from a network failure.
  if (file.size > maxBytes) {
    const text = t("home.import.tooLarge", { size: formatSize(t, file.size), limit: formatSize(t, maxBytes) });
    throw new ApiError("refused", text, { status: 413 });
  }
  const form = new FormData();
  form.set("upload", file);
  return upload(path, form, options);
}

const abortedError = (): ApiError => new ApiError("stopped", t("problem.cancelled"), {});
