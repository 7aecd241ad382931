import type { ChangeCount } from "../doc/change-counter.ts";
import { AppError } from "../errors.ts";
import { systemTimers } from "../lib/time/timers.ts";

/** A document's file that does not change until `endBase`. */
export interface HeldFile {
  /** The commit whose content it has. */
  readonly count: ChangeCount;
  readonly path: string;
  readonly bytes: number;
}

const RETRY_MS = 250;
/** Longer than the snapshot of a large response lasts, after which it is copied. */
const TIMEOUT_MS = 40_000;

/**
 * Calls `attempt` until it returns a file: it cannot while a snapshot needs an older content.
 * @throws AppError `unavailable` when it takes too long
 */
export async function waitForHeldFile(attempt: () => Promise<HeldFile | null>): Promise<HeldFile> {
  const start = performance.now();
  while (performance.now() - start < TIMEOUT_MS) {
    const held = await attempt();
    if (held) return held;
    await new Promise<void>((resolve) => systemTimers.after(RETRY_MS, resolve));
  }
  throw new AppError("unavailable", "The document's file is in use by large reads", { retryAfterS: 5 });
}
