import { readFileSync, readdirSync, statfsSync } from "node:fs";

export interface ProcessMetrics {
  readonly residentBytes: number;
  /** Memory without file-backed pages, which the kernel can reclaim: what the machine must provide. */
  readonly anonymousBytes: number | null;
  readonly cpuSeconds: number;
  /** Since the epoch. */
  readonly startTimeSeconds: number;
  readonly threads: number | null;
  readonly openFiles: number | null;
  readonly maxOpenFiles: number | null;
}

/** Process statistics of the operating system; null where not available. */
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

/** Disk space of the file system of a folder; null where unknown. */
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
    // One of the entries is the descriptor of the directory being read.
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
