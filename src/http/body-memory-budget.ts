import { AppError } from "../errors.ts";

/** So many bodies of the largest size may be in memory at a time, and half of them of one caller. */
const MAX_BODIES = 16;

/** How much memory the bodies of requests under way take: of callers that send large ones there may be many. */
export class BodyMemoryBudget {
  readonly #maxBytes: number;
  readonly #byCaller = new Map<string, number>();
  #bytes = 0;

  /** @param maxBody the largest size of a single one, in bytes */
  constructor(maxBody: number) {
    this.#maxBytes = MAX_BODIES * maxBody;
  }

  /**
   * Notes that so many more bytes came for a caller; they have to be given back.
   * @throws AppError `tooMany`, `unavailable`; nothing is noted then
   */
  acquire(caller: string, bytes: number): void {
    const callerBytes = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (callerBytes > this.#maxBytes / 2) {
      throw new AppError("limit.uploads", "Too many concurrent uploads; retry when one has finished", {
        retryAfterS: 1,
      });
    }
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new AppError("server.overloaded", "The server has too many large bodies to take in", { retryAfterS: 1 });
    }
    this.#byCaller.set(caller, callerBytes);
    this.#bytes += bytes;
  }

  release(caller: string, bytes: number): void {
    const callerBytes = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (callerBytes > 0) this.#byCaller.set(caller, callerBytes);
    else this.#byCaller.delete(caller);
    this.#bytes -= bytes;
  }
}
