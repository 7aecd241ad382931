import { typeError, valueError } from "./errors.ts";
import { wantIndex } from "./signature.ts";
import { PyObject, pyRepr, type PyValue } from "./values.ts";

/** A `slice`: what stands between the brackets of `a[1:2]`. */
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

/** Where a slice of something of this length begins and ends: negative bounds count from its end, others are cut. */
export function sliceRange(length: number, start: PyValue, stop: PyValue, step: PyValue = null): SliceRange {
  const by = step === null ? 1 : sliceBound(step);
  if (by === 0) throw valueError("slice step cannot be zero");
  const [lowest, highest] = by > 0 ? [0, length] : [-1, length - 1];
  const cut = (bound: PyValue, standard: number) => {
    if (bound === null) return standard;
    const given = sliceBound(bound);
    return Math.min(Math.max(given < 0 ? given + length : given, lowest), highest);
  };
  return { start: cut(start, by > 0 ? lowest : highest), stop: cut(stop, by > 0 ? highest : lowest), step: by };
}

function sliceBound(bound: PyValue): number {
  if (typeof bound === "bigint" || typeof bound === "boolean") return wantIndex(bound);
  throw typeError("slice indices must be integers or None or have an __index__ method");
}

/** The elements that a slice takes. */
export function pickRange<T>(items: readonly T[], { start, stop, step }: SliceRange): T[] {
  if (step === 1) return items.slice(start, Math.max(start, stop));
  const picked: T[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) {
    const item = items[at];
    if (item !== undefined) picked.push(item);
  }
  return picked;
}
