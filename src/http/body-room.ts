import { AppError } from "../errors.ts";

/** So many bodies of the largest size may be in memory at a time, and half of them of one caller. */
const BODIES = 16;

/** How much memory the bodies of requests under way take: of callers that send large ones there may be many. */
export class BodyRoom {
  readonly #mostBytes: number;
  readonly #byCaller = new Map<string, number>();
  #bytes = 0;

  /** @param maxBody the largest size of a single one, in bytes */
  constructor(maxBody: number) {
    this.#mostBytes = BODIES * maxBody;
  }

  /**
   * Notes that so many more bytes came for a caller; they have to be given back.
   * @throws AppError `tooMany`, `unavailable`; nothing is noted then
   */
  take(caller: string, bytes: number): void {
    const own = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (own > this.#mostBytes / 2) {
      throw new AppError("limit.uploads", "Too many concurrent uploads; retry when one has finished", {
        retryAfterS: 1,
      });
    }
    if (this.#bytes + bytes > this.#mostBytes) {
      throw new AppError("server.overloaded", "The server has too many large bodies to take in", { retryAfterS: 1 });
    }
    this.#byCaller.set(caller, own);
    this.#bytes += bytes;
  }

  giveBack(caller: string, bytes: number): void {
    const own = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (own > 0) this.#byCaller.set(caller, own);
    else this.#byCaller.delete(caller);
    this.#bytes -= bytes;
  }
}
