/** Keeps the certificate of the server up to date with its files. */
import type { Config } from "../config.ts";
import { invalid } from "../errors.ts";
import type { Log } from "../lib/observability/log.ts";
import { incrementCounter, setGauge } from "../lib/observability/measurements.ts";
import {
  isKeyReadableByOthers,
  readTlsFiles,
  versionOfTlsFiles,
  type TlsCertificate,
  type TlsFiles,
} from "../lib/network/tls-files.ts";
import { runEvery } from "../lib/time/timers.ts";

const CHECK_INTERVAL_MS = 2000;
const DAY_MS = 86_400_000;
/** Let's Encrypt renews certificates 30 days before they expire. */
const WARNING_DAYS = 14;

/**
 * Returns the files of the settings; null for plain HTTP.
 * @throws AppError `invalid` if only one is set
 */
export function tlsFilesOf({ tlsCert: cert, tlsKey: key }: Config): TlsFiles | null {
  if (cert !== null && key !== null) return { cert, key };
  if (cert === null && key === null) return null;
  throw invalid(
    `QUERN_TLS_CERT and QUERN_TLS_KEY are required together: set ${cert ? "QUERN_TLS_KEY" : "QUERN_TLS_CERT"}`,
  );
}

export interface TlsReloaderOptions {
  readonly files: TlsFiles;
  readonly log: Log;
}

export class TlsReloader implements Disposable {
  /** The certificate at the start. */
  readonly first: TlsCertificate;
  readonly #files: TlsFiles;
  readonly #log: Log;
  /** The version of the files whose certificate is in use. */
  #version: string;
  /** The version that failed at the last check, and whether that has been reported. */
  #failure: { readonly version: string; readonly isReported: boolean } | undefined;
  #isChecking = false;
  #stop: () => void = () => undefined;

  /** @throws AppError `invalid` if the files cannot be used */
  constructor({ files, log }: TlsReloaderOptions) {
    this.#files = files;
    this.#log = log;
    this.#version = versionOfTlsFiles(files);
    try {
      this.first = readTlsFiles(files);
    } catch (error) {
      throw invalid(`TLS: ${(error as Error).message}`);
    }
    this.#reportLoaded(this.first);
  }

  /**
   * Calls `replace` with each new certificate, until it is disposed.
   * @param replace throws if the certificate cannot be used
   * @returns a function that checks the files now
   */
  watch(replace: (certificate: TlsCertificate) => Promise<void>): () => Promise<void> {
    let expiresAt = this.first.expiresAt;
    const check = async (isRequested: boolean) => {
      if (this.#isChecking) return;
      this.#isChecking = true;
      try {
        const loaded = await this.#check(replace, isRequested);
        if (loaded) ({ expiresAt } = loaded);
      } finally {
        this.#isChecking = false;
      }
    };
    const stopChecks = runEvery(CHECK_INTERVAL_MS, () => check(false));
    const stopWarnings = runEvery(DAY_MS, () => this.#warnOfExpiry(expiresAt));
    this.#stop = () => {
      stopChecks();
      stopWarnings();
    };
    return () => check(true);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  /** Returns the certificate if there is a new one that can be used. */
  async #check(
    replace: (certificate: TlsCertificate) => Promise<void>,
    isRequested: boolean,
  ): Promise<TlsCertificate | null> {
    const version = versionOfTlsFiles(this.#files);
    if (version === this.#version) return null;
    try {
      const certificate = readTlsFiles(this.#files);
      await replace(certificate);
      this.#version = version;
      this.#failure = undefined;
      incrementCounter("tlsReloads");
      this.#reportLoaded(certificate);
      return certificate;
    } catch (error) {
      this.#recordFailure(version, { error: error as Error, isRequested });
      return null;
    }
  }

  /**
   * Reports a failure once for each version of the files, and only when they have not changed since the last check:
   * programs write the certificate and its key one after the other.
   */
  #recordFailure(version: string, { error, isRequested }: { error: Error; isRequested: boolean }): void {
    const isSame = this.#failure?.version === version;
    const wasReported = isSame && this.#failure?.isReported === true;
    const isDue = isRequested || (isSame && !wasReported);
    this.#failure = { version, isReported: wasReported || isDue };
    if (!isDue) return;
    incrementCounter("tlsReloadsFailed");
    this.#log.error("tls.reload_failed", { error: error.message });
  }

  #reportLoaded({ names, expiresAt }: TlsCertificate): void {
    setGauge("tlsCertificateExpiry", expiresAt.getTime() / 1000);
    this.#log.info("tls.certificate_loaded", { names, expiresAt: expiresAt.toISOString() });
    this.#warnOfExpiry(expiresAt);
    if (isKeyReadableByOthers(this.#files)) this.#log.warn("tls.key_readable_by_others", { file: this.#files.key });
  }

  #warnOfExpiry(expiresAt: Date): void {
    const days = Math.floor((expiresAt.getTime() - Date.now()) / DAY_MS);
    if (days < 0) this.#log.warn("tls.certificate_expired", { expiresAt: expiresAt.toISOString() });
    else if (days < WARNING_DAYS)
      this.#log.warn("tls.certificate_expires_soon", { expiresAt: expiresAt.toISOString(), days });
  }
}
