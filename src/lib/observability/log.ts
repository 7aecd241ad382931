/** Structured logging: one JSON object per line, or one readable line in a terminal. */
import { incrementCounter } from "./measurements.ts";
import { systemTimers } from "../time/timers.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** The fields of a line besides time, level and event: plain values. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly time?: never;
  readonly level?: never;
  readonly event?: never;
};

/** A log line in memory. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: "warn" | "error";
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Log {
  /** True when lines of that level are written: check it before building expensive fields. */
  isEnabled(level: LogLevel): boolean;
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** The most recent warnings and errors, oldest first, whether they are written or not. */
  recentProblems(): readonly LogEntry[];
  /** Flushes the buffer. */
  flush(): void;
}

const LEVEL_RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** How many warnings and errors are kept in memory. */
const MAX_RECENT_PROBLEMS = 200;
const FLUSH_DELAY_MS = 50;
const MAX_BUFFERED_CHARS = 65_536;

export interface LogOptions {
  level?: LogLevel;
  /** `json` by default, for programs; `text` for a terminal. */
  format?: "json" | "text";
  now?: () => number;
  /** Writes whole lines. Must not throw. */
  write: (text: string) => void;
}

/**
 * A log that buffers lines for up to 50 ms: one system call serves many requests. Errors are flushed immediately. Never
 * throws.
 */
export function createLog({ level = "info", format = "json", now = Date.now, write }: LogOptions): Log {
  const formatLine = format === "json" ? formatJson : formatText;
  const troubles: LogEntry[] = [];
  let buffer = "";
  let cancelTimer: (() => void) | null = null;
  const isEnabled = (entryLevel: LogLevel) => LEVEL_RANK[entryLevel] >= LEVEL_RANK[level];
  const flush = () => {
    cancelTimer?.();
    cancelTimer = null;
    if (buffer) write(buffer);
    buffer = "";
  };
  const append = (at: LogLevel, event: string, fields: LogFields = {}) => {
    if (at === "warn" || at === "error") {
      incrementCounter(at === "warn" ? "logWarnings" : "logErrors");
      if (troubles.push({ at: now(), level: at, event, fields }) > MAX_RECENT_PROBLEMS) troubles.shift();
    }
    if (!isEnabled(at)) return;
    buffer += formatLine({ time: new Date(now()).toISOString(), level: at, event }, fields);
    if (at === "error" || buffer.length > MAX_BUFFERED_CHARS) flush();
    else cancelTimer ??= systemTimers.after(FLUSH_DELAY_MS, flush);
  };
  return {
    isEnabled,
    debug: (event, fields) => append("debug", event, fields),
    info: (event, fields) => append("info", event, fields),
    warn: (event, fields) => append("warn", event, fields),
    error: (event, fields) => append("error", event, fields),
    recentProblems: () => [...troubles],
    flush,
  };
}

/** A log that drops everything: for tests and commands. */
export const silentLog: Log = {
  isEnabled: () => false,
  debug() {},
  info() {},
  warn() {},
  error() {},
  recentProblems: () => [],
  flush() {},
};

interface LineHead {
  readonly time: string;
  readonly level: LogLevel;
  readonly event: string;
}

/** Formats a line; of fields that cannot be serialized as JSON only the names. */
function formatJson(head: LineHead, fields: LogFields): string {
  try {
    return `${JSON.stringify({ ...head, ...fields })}\n`;
  } catch {
    return `${JSON.stringify({ ...head, unreadable: Object.keys(fields) })}\n`;
  }
}

/** `2026-11-22T17:34:04Z info  http.request method=GET route=/status status=200 ms=1.05`; null values are omitted. */
function formatText({ time, level, event }: LineHead, fields: LogFields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name}=${fieldText(value)}`],
  );
  return `${[`${time.slice(0, 19)}Z`, level.padEnd(5), event, ...pairs].join(" ")}\n`;
}

/** Quotes everything but plain words, and escapes control characters: no field can imitate a line or control the terminal. */
function fieldText(value: unknown): string {
  if (typeof value === "string" && /^[\w./:@{}-]+$/.test(value)) return value;
  try {
    const text = JSON.stringify(value) ?? "(unreadable)";
    return text.replaceAll(/[\x7f-\x9f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
  } catch {
    return "(unreadable)";
  }
}
