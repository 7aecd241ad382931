/** Structured logging to stderr: one JSON object a line. The only place that writes to the console. */

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface Log {
  debug(event: string, fields?: Record<string, unknown>): void;
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
  /** Writes out what is still held back. */
  flush(): void;
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

export interface LogOptions {
  level?: LogLevel;
  now?: () => number;
  /** Takes whole lines; stderr by default. */
  write?: (text: string) => void;
}

/**
 * A log that gathers lines and writes them together within 50 ms: one system call serves many requests. Errors are
 * written at once.
 */
export function createLog({ level = "info", now = Date.now, write = writeStderr }: LogOptions = {}): Log {
  let held = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = undefined;
    if (held) write(held);
    held = "";
  };
  const put = (at: LogLevel, event: string, fields: Record<string, unknown> = {}) => {
    if (RANK[at] < RANK[level]) return;
    held += `${JSON.stringify({ time: new Date(now()).toISOString(), level: at, event, ...fields })}\n`;
    if (at === "error" || held.length > 65_536) flush();
    else if (!timer) {
      timer = setTimeout(flush, 50);
      timer.unref();
    }
  };
  return {
    debug: (event, fields) => put("debug", event, fields),
    info: (event, fields) => put("info", event, fields),
    warn: (event, fields) => put("warn", event, fields),
    error: (event, fields) => put("error", event, fields),
    flush,
  };
}

/** A log that keeps nothing: for tests and commands. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, flush() {} };

function writeStderr(text: string): void {
  process.stderr.write(text);
}
