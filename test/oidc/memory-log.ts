import { silentLog, type Log, type LogFields } from "../../src/lib/observability/log.ts";

export interface MemoryLog extends Log {
  /** Returns the fields of all lines of an event. */
  events(name: string): LogFields[];
  text(): string;
}

/** A log that keeps its lines. */
export function createMemoryLog(): MemoryLog {
  const lines: (readonly [event: string, fields: LogFields])[] = [];
  const add = (event: string, fields: LogFields = {}) => void lines.push([event, fields]);
  return {
    ...silentLog,
    debug: add,
    info: add,
    warn: add,
    error: add,
    events: (name) => lines.filter(([event]) => event === name).map(([, fields]) => fields),
    text: () => JSON.stringify(lines),
  };
}
