import { api, isAborted } from "../api.ts";
import {
  detectionRequest,
  importRequest,
  missingChoice,
  type ImportChoices,
  type ImportRequest,
} from "./import-request.ts";
import type { FileReport } from "./import-report.ts";
import type { ImportTarget } from "./import-target.ts";
import type { KeptFile } from "./uploads.ts";

/** Choices in quick succession are sent once. */
const DEBOUNCE_MS = 250;

export interface PreviewReaderOptions {
  readonly changed: () => void;
  /** Called with the tables of the file before the import is planned. Returns the choices for them. */
  readonly adapt: (detected: FileReport) => ImportChoices;
}

/** Reads what an import would do, for the latest choices only. */
export class PreviewReader {
  readonly #target: ImportTarget;
  readonly #file: KeptFile;
  readonly #onChange: () => void;
  readonly #adapt: (detected: FileReport) => ImportChoices;
  #abort = new AbortController();
  #detectedFor = "";
  #detected: FileReport | null = null;
  #planned: FileReport | null = null;
  #state: "pending" | "known" | "failed" = "pending";
  #error: unknown = null;

  constructor(target: ImportTarget, file: KeptFile, { changed, adapt }: PreviewReaderOptions) {
    this.#target = target;
    this.#file = file;
    this.#onChange = changed;
    this.#adapt = adapt;
  }

  /** The tables and columns of the file; null before the first answer. */
  get detected(): FileReport | null {
    return this.#detected;
  }

  /** What the import would do; null while that is unknown. */
  get planned(): FileReport | null {
    return this.#state === "known" ? this.#planned : null;
  }

  get isPending(): boolean {
    return this.#state === "pending";
  }

  /** Why the latest choices could not be read; null unless they failed. */
  get error(): unknown {
    return this.#state === "failed" ? this.#error : null;
  }

  /** Reads for other choices; the answers for earlier ones are discarded. */
  read(choices: ImportChoices, delayMs = DEBOUNCE_MS): void {
    this.close();
    this.#abort = new AbortController();
    this.#state = "pending";
    this.#onChange();
    void this.#run(choices, delayMs, this.#abort.signal);
  }

  close(): void {
    this.#abort.abort();
  }

  async #run(choices: ImportChoices, delayMs: number, signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (signal.aborted) return;
    try {
      const detection = detectionRequest(choices);
      const key = JSON.stringify(detection);
      if (key !== this.#detectedFor || !this.#detected) {
        const detected = await this.#send(detection, signal);
        if (signal.aborted) return;
        this.#detected = detected;
        this.#detectedFor = key;
      }
      const adapted = this.#adapt(this.#detected);
      const request = importRequest({ ...adapted, documentName: "" }, this.#target.document !== null);
      const isSame = JSON.stringify(request) === key || missingChoice(adapted) !== null;
      const planned = isSame ? this.#detected : await this.#send(request, signal);
      if (signal.aborted) return;
      this.#planned = planned;
      this.#state = "known";
    } catch (error) {
      if (signal.aborted || isAborted(error)) return;
      this.#state = "failed";
      this.#error = error;
    }
    this.#onChange();
  }

  #send({ query, body }: ImportRequest, signal: AbortSignal): Promise<FileReport> {
    const { path, document: target } = this.#target;
    const all = { ...query, dryRun: true, ...(target && { change: true }) };
    return api(`${path}/import`, {
      method: "POST",
      query: all,
      body: { ...body, uploadId: this.#file.uploadId },
      signal,
    });
  }
}
