/** The own memory of a server: of its process and all processes that it started. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** Anonymous and shared memory, and what of it is swapped out; without the executable's pages and the page cache. */
const COUNTED = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm;

/** Returns the own memory of a process and its descendants in MB. */
export function ownMemoryMb(pid: number): number {
  let total = 0;
  for (const one of processTree(pid)) {
    for (const [, kb] of read(`/proc/${one}/status`).matchAll(COUNTED)) total += Number(kb) / 1024;
  }
  return total;
}

/** Returns the ids of a process and its descendants. */
export function processTree(pid: number): number[] {
  const found = [pid];
  for (const task of tasks(pid)) {
    for (const child of read(`/proc/${pid}/task/${task}/children`).split(" ")) {
      if (child !== "") found.push(...processTree(Number(child)));
    }
  }
  return found;
}

function tasks(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Returns an empty text for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const SAMPLE_EVERY_MS = 100;

export interface MemorySampler extends Disposable {
  /** The highest sample so far. */
  readonly peakMb: number;
  /** The latest sample. */
  readonly lastMb: number;
}

/** Samples the own memory of a process every 100 ms until disposed. */
export function sampleOwnMemory(pid: number): MemorySampler {
  let [peakMb, lastMb] = [0, 0];
  const sample = () => {
    lastMb = ownMemoryMb(pid);
    peakMb = Math.max(peakMb, lastMb);
  };
  sample();
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    get peakMb() {
      return peakMb;
    },
    get lastMb() {
      return lastMb;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
