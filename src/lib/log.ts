/** Structured logging: one JSON object a line. */
import { count } from "./measurements.ts";
import { systemTimers } from "./timers.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a line tells besides its time, level and event: plain values. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly time?: never;
  readonly level?: never;
  readonly event?: never;
};

/** A line of the log, as kept in memory. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: "warn" | "error";
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Log {
  /** True when lines of that level are written: for those that cost something to make. */
  shows(level: LogLevel): boolean;
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** The last warnings and errors, oldest first, whether they are written or not. */
  troubles(): readonly LogEntry[];
  /** Writes out what is still held back. */
  flush(): void;
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** How many warnings and errors are kept in memory. */
const MOST_TROUBLES = 200;
const HELD_MS = 50;
const MOST_HELD = 65_536;

export interface LogOptions {
  level?: LogLevel;
  now?: () => number;
  /** Takes whole lines. Must not throw. */
  write: (text: string) => void;
}

/**
 * A log that gathers lines and writes them together within 50 ms: one system call serves many requests. Errors are
 * written at once. It never throws.
 */
export function createLog({ level = "info", now = Date.now, write }: LogOptions): Log {
  const troubles: LogEntry[] = [];
  let held = "";
  let cancelTimer: (() => void) | null = null;
  const shows = (at: LogLevel) => RANK[at] >= RANK[level];
  const flush = () => {
    cancelTimer?.();
    cancelTimer = null;
    if (held) write(held);
    held = "";
  };
  const put = (at: LogLevel, event: string, fields: LogFields = {}) => {
    if (at === "warn" || at === "error") {
      count(at === "warn" ? "logWarnings" : "logErrors");
      if (troubles.push({ at: now(), level: at, event, fields }) > MOST_TROUBLES) troubles.shift();
    }
    if (!shows(at)) return;
    held += lineOf({ time: new Date(now()).toISOString(), level: at, event }, fields);
    if (at === "error" || held.length > MOST_HELD) flush();
    else cancelTimer ??= systemTimers.after(HELD_MS, flush);
  };
  return {
    shows,
    debug: (event, fields) => put("debug", event, fields),
    info: (event, fields) => put("info", event, fields),
    warn: (event, fields) => put("warn", event, fields),
    error: (event, fields) => put("error", event, fields),
    troubles: () => [...troubles],
    flush,
  };
}

/** A log that keeps nothing: for tests and commands. */
export const silentLog: Log = {
  shows: () => false,
  debug() {},
  info() {},
  warn() {},
  error() {},
  troubles: () => [],
  flush() {},
};

/** A line; of fields that are no JSON only the names. */
function lineOf(head: object, fields: LogFields): string {
  try {
    return `${JSON.stringify({ ...head, ...fields })}\n`;
  } catch {
    return `${JSON.stringify({ ...head, unreadable: Object.keys(fields) })}\n`;
  }
}
