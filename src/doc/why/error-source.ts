import type { CellRead, Trace } from "./trace.ts";
import type { Tracer } from "./tracer.ts";

/** Where an error comes from. */
export interface ErrorSource {
  /** The cell whose own formula fails; null when it is the explained one. */
  readonly origin: CellRead | null;
  /** The cells that depend on each other in a circle. */
  readonly cycle: readonly CellRead[];
}

/** Maximum number of cells on the way to the origin. */
const MAX_STEPS = 100;

/** Follows the cells that an error was read from. */
export function findErrorSource(cell: CellRead, trace: Trace, tracer: Tracer): ErrorSource {
  const path: CellRead[] = [cell];
  let { failedRead, error } = trace;
  const isCircular = error?.type === "CircularRefError";
  while (failedRead && path.length < MAX_STEPS) {
    const next = failedRead;
    const at = path.findIndex(({ column, row }) => column === next.column && row === next.row);
    if (at >= 0) return { origin: null, cycle: isCircular ? path.slice(at) : [] };
    path.push(next);
    ({ failedRead, error } = tracer.trace(next.column, next.row));
  }
  const last = path.at(-1);
  if (isCircular && error?.type === "CircularRefError" && !failedRead) return { origin: null, cycle: path.slice(-1) };
  return { origin: path.length > 1 ? (last ?? null) : null, cycle: [] };
}
