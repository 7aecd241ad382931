import { typeError, valueError } from "../errors.ts";
import { requireIndex } from "../signature.ts";
import { PyObject, pyRepr, type PyValue } from "../values.ts";

/** A `slice` object, as created by `a[1:2]`. */
export class PySlice extends PyObject {
  readonly typeName = "slice";
  readonly start: PyValue;
  readonly stop: PyValue;
  readonly step: PyValue;

  constructor(start: PyValue, stop: PyValue, step: PyValue) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  override hashKey(): undefined {
    return undefined;
  }

  override attribute(name: string): PyValue | undefined {
    return name === "start" || name === "stop" || name === "step" ? this[name] : undefined;
  }

  repr(): string {
    return `slice(${pyRepr(this.start)}, ${pyRepr(this.stop)}, ${pyRepr(this.step)})`;
  }
}

export interface SliceRange {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

/**
 * Resolves a slice for a sequence of this length: negative bounds count from its end, out-of-range bounds are clamped.
 */
export function sliceRange(length: number, start: PyValue, stop: PyValue, step: PyValue = null): SliceRange {
  const by = step === null ? 1 : sliceBound(step);
  if (by === 0) throw valueError("slice step cannot be zero");
  const [lowest, highest] = by > 0 ? [0, length] : [-1, length - 1];
  const clamp = (bound: PyValue, defaultBound: number) => {
    if (bound === null) return defaultBound;
    const position = sliceBound(bound);
    return Math.min(Math.max(position < 0 ? position + length : position, lowest), highest);
  };
  return { start: clamp(start, by > 0 ? lowest : highest), stop: clamp(stop, by > 0 ? highest : lowest), step: by };
}

function sliceBound(bound: PyValue): number {
  if (typeof bound === "bigint" || typeof bound === "boolean") return requireIndex(bound);
  throw typeError("slice indices must be integers or None or have an __index__ method");
}

/** Returns the elements that a slice selects. */
export function selectRange<T>(items: readonly T[], { start, stop, step }: SliceRange): T[] {
  if (step === 1) return items.slice(start, Math.max(start, stop));
  const selected: T[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) {
    const item = items[at];
    if (item !== undefined) selected.push(item);
  }
  return selected;
}
