import { type AccountActor, actorId } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { receiveSingleFile } from "../../files/single-file-upload.ts";
import type { Upload, UploadLimits } from "../../files/uploads.ts";
import type { AddressResolver } from "../../lib/network/pinned-addresses.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { AddressPolicy, type PolicySubject } from "../../webhooks/address-policy.ts";
import type { AllowedDestination } from "../../lib/network/allowed-destinations.ts";
import { fileNameOf, isGoogleSignIn, isPage, workbookAddress } from "./file-address.ts";
import { abortReason } from "./import-job.ts";
import { getPinned, type PinnedResponse } from "./pinned-get.ts";

export interface FileFetcherOptions {
  /** False when users cannot import by address. */
  readonly isOn: boolean;
  /** Destinations in addition to public https addresses. */
  readonly allowed: readonly AllowedDestination[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly resolve?: AddressResolver;
  /** Covers everything, from resolving the name to the last byte of the file. */
  readonly timeoutMs?: number;
  /** The time after which an unreachable host is reported. */
  readonly failureMs?: number;
}

/** Concurrent fetches of the server, and of a user. */
const MAX_FETCHES = 4;
const MAX_FETCHES_PER_USER = 2;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;
const FAILURE_MS = 1000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const IMPORTS: PolicySubject = {
  url: "The address of the file",
  setting: "QUERN_IMPORT_ALLOW",
  credentialsAdvice: "",
  deny: (message) => new AppError("import.url_denied", message),
};

/** Fetches files that users import by their address. */
export class FileFetcher {
  readonly #options: FileFetcherOptions;
  readonly #policy: AddressPolicy;
  /** The users of the fetches in progress. */
  readonly #users: number[] = [];

  constructor(options: FileFetcherOptions) {
    this.#options = options;
    this.#policy = new AddressPolicy(options.allowed, IMPORTS);
  }

  /**
   * Fetches a file like an upload with one file. Every address is checked, also those of redirects.
   * @throws AppError `import.url_…`, `import.sheet_private`, `limit.url_imports`; as `receiveSingleFile`. No error contains
   *   text of a response, and none tells whether an internal host exists
   */
  async fetch(
    actor: AccountActor,
    text: string,
    { limits, signal }: { limits: UploadLimits; signal: AbortSignal },
  ): Promise<Upload> {
    if (!this.#options.isOn) throw new AppError("import.url_off", "Imports by address are switched off on this server");
    const requested = this.#policy.checkUrl(text);
    const userId = actorId(actor);
    const ownCount = this.#users.filter((id) => id === userId).length;
    if (this.#users.length >= MAX_FETCHES || ownCount >= MAX_FETCHES_PER_USER) {
      throw new AppError("limit.url_imports", "Too many files are being fetched; retry when one has finished", {
        retryAfterS: 5,
      });
    }
    this.#users.push(userId);
    try {
      return await this.#fetchInTime(requested, limits, signal);
    } finally {
      this.#users.splice(this.#users.indexOf(userId), 1);
    }
  }

  async #fetchInTime(requested: URL, limits: UploadLimits, caller: AbortSignal): Promise<Upload> {
    const { timeoutMs = TIMEOUT_MS, failureMs = FAILURE_MS, clock, log, timers } = this.#options;
    const startMs = clock.elapsed();
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([deadline, caller]);
    try {
      return await this.#receive(requested, limits, signal);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (caller.aborted) throw abortReason(caller);
      // The log is for administrators; callers must not learn which internal names and hosts exist.
      log.info("import.fetch_failed", { host: requested.host, error: String(error) });
      if (deadline.aborted) throw failed(`The file was not received within ${timeoutMs / 1000} seconds`);
      const remainingMs = startMs + failureMs - clock.elapsed();
      if (remainingMs > 0) await new Promise<void>((resolve) => timers.after(remainingMs, resolve));
      throw failed("The address cannot be reached, or is not public");
    }
  }

  async #receive(requested: URL, limits: UploadLimits, signal: AbortSignal): Promise<Upload> {
    const workbook = workbookAddress(requested);
    const { url, response } = await this.#follow(workbook ?? requested, signal, workbook !== null);
    try {
      if (response.status !== 200) throw failed(`The address answered with status ${response.status}`);
      const type = (response.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
      if (isPage(type)) throw workbook ? privateSheet() : pageInsteadOfFile();
      const encoding = response.header("content-encoding") ?? "identity";
      if (encoding !== "identity" && encoding !== "") throw failed("The address answered with a compressed response");
      const name = fileNameOf(url, { disposition: response.header("content-disposition"), type });
      const length = Number(response.header("content-length") ?? Number.NaN);
      const sizeBytes = Number.isSafeInteger(length) && length >= 0 ? length : null;
      const upload = await receiveSingleFile({ name, type, sizeBytes, chunks: response.chunks() }, limits);
      if (sizeBytes === null || upload.files[0]?.sizeBytes === sizeBytes) return upload;
      await upload[Symbol.asyncDispose]();
      throw failed("The connection ended before the file was complete");
    } finally {
      response.close();
    }
  }

  /** Follows redirects: each address is checked like the first one. */
  async #follow(first: URL, signal: AbortSignal, isSheet: boolean): Promise<{ url: URL; response: PinnedResponse }> {
    let url = first;
    for (let redirects = 0; ; redirects++) {
      const response = await getPinned(url, { policy: this.#policy, resolve: this.#options.resolve, signal });
      const location = response.header("location");
      if (!REDIRECTS.has(response.status) || location === undefined) return { url, response };
      response.close();
      if (redirects === MAX_REDIRECTS) throw failed("The address redirects too often");
      if (!URL.canParse(location, url.href)) throw failed("The address redirects to an invalid address");
      const target = new URL(location, url);
      if (isSheet && isGoogleSignIn(target)) throw privateSheet();
      url = this.#policy.checkUrl(target.href);
    }
  }
}

const failed = (message: string): AppError => new AppError("import.url_failed", message);

const pageInsteadOfFile = (): AppError =>
  new AppError(
    "import.url_page",
    "The address leads to a web page, not to a file. Use the address of the file itself, for example of its download link.",
  );

const privateSheet = (): AppError =>
  new AppError(
    "import.sheet_private",
    "The Google sheet is not public. Share it with everyone who has the link, or download it as XLSX and import the file.",
  );
