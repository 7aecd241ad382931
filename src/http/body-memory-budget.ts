import { AppError } from "../errors.ts";

/** Maximum number of bodies of the largest size in memory at the same time; half of them may belong to one caller. */
const MAX_BODIES = 16;

/** Limits the memory of the request bodies in flight, per caller and in total. */
export class BodyMemoryBudget {
  readonly #maxBytes: number;
  readonly #byCaller = new Map<string, number>();
  #bytes = 0;

  /** @param maxBody the maximum size of a body, in bytes */
  constructor(maxBody: number) {
    this.#maxBytes = MAX_BODIES * maxBody;
  }

  /**
   * Acquires memory for a caller; it must be released.
   * @throws AppError `tooMany`, `unavailable`; nothing is acquired then
   */
  acquire(caller: string, bytes: number): void {
    const callerBytes = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (callerBytes > this.#maxBytes / 2) {
      throw new AppError("limit.uploads", "Too many concurrent uploads; retry when one has finished", {
        retryAfterS: 1,
      });
    }
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new AppError("server.overloaded", "The server has too many concurrent uploads; try again later", {
        retryAfterS: 1,
      });
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
