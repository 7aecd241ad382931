import { readFileSync, readdirSync, statfsSync } from "node:fs";

export interface ProcessMetrics {
  readonly residentBytes: number;
  /** What is not a part of a file that could be read again: the memory that a machine has to have. */
  readonly anonymousBytes: number | null;
  readonly cpuSeconds: number;
  /** Since the epoch. */
  readonly startTimeSeconds: number;
  readonly threads: number | null;
  readonly openFiles: number | null;
  readonly maxOpenFiles: number | null;
}

/** What the system tells about this process; null where it does not. */
export function readProcessMetrics(): ProcessMetrics {
  const status = readProcFile("/proc/self/status");
  const cpu = process.cpuUsage();
  const maxFiles = /^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits"))?.[1];
  const anonymousKib = /^RssAnon:\s+(\d+)/m.exec(status)?.[1];
  const threads = /^Threads:\s+(\d+)/m.exec(status)?.[1];
  return {
    residentBytes: process.memoryUsage.rss(),
    anonymousBytes: anonymousKib === undefined ? null : Number(anonymousKib) * 1024,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    startTimeSeconds: performance.timeOrigin / 1000,
    threads: threads === undefined ? null : Number(threads),
    openFiles: openFiles(),
    maxOpenFiles: maxFiles === undefined ? null : Number(maxFiles),
  };
}

/** Room on the disk that holds a folder; null where that cannot be told. */
export function diskSpace(folder: string): { freeBytes: number; sizeBytes: number } | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    return null;
  }
}

function openFiles(): number | null {
  try {
    // One of them is the folder that is being read.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return null;
  }
}

function readProcFile(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
