import { spendBytes } from "../budget.ts";
import { PyBytes } from "../bytes.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { PySet } from "../sets.ts";
import { wantFloat, wantIndex, wantInt } from "../signature.ts";
import { readIndex } from "../slices.ts";
import { itemsOf, PyList, PyObject, pyLength, type PyValue } from "../values.ts";
import { entry } from "./define.ts";
import { PyModule } from "./module.ts";

/** An int from 0 to below `limit`. */
function below(limit: bigint): bigint {
  if (limit < 2n ** 50n) return BigInt(Math.floor(Math.random() * Number(limit)));
  const bits = limit.toString(2).length;
  for (;;) {
    const value = randomBits(bits);
    if (value < limit) return value;
  }
}

function randomBits(count: number): bigint {
  spendBytes(count);
  let value = 0n;
  for (let left = count; left > 0; left -= 32) {
    const bits = Math.min(32, left);
    value = (value << BigInt(bits)) | BigInt(Math.floor(Math.random() * 2 ** bits));
  }
  return value;
}

function randomRange([first = null, second = null, step = 1n]: readonly PyValue[]): bigint {
  const [start, stop] = second === null ? [0n, wantInt(first)] : [wantInt(first), wantInt(second)];
  const by = wantInt(step);
  if (by === 0n) throw valueError("zero step for randrange()");
  const distance = by > 0n ? stop - start : start - stop;
  const size = by > 0n ? by : -by;
  if (distance <= 0n) throw valueError("empty range for randrange()");
  return start + by * below((distance + size - 1n) / size);
}

function shuffled(values: readonly PyValue[]): PyValue[] {
  spendBytes(values.length * 8);
  const items = [...values];
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [items[at], items[other]] = [items[other] ?? null, items[at] ?? null];
  }
  return items;
}

function choices([population = null, weights = null, cumulative = null, k = 1n]: readonly PyValue[]): PyList {
  const items = itemsOf(population);
  const count = wantIndex(k);
  if (items.length === 0) throw new PyError("IndexError", "list index out of range");
  let total = 0;
  const sums =
    cumulative === null
      ? (weights === null ? items.map(() => 1) : itemsOf(weights).map(wantFloat)).map((weight) => (total += weight))
      : itemsOf(cumulative).map(wantFloat);
  if (sums.length !== items.length) throw valueError("The number of weights does not match the population");
  const last = sums.at(-1) ?? 0;
  if (last <= 0) throw valueError("Total of weights must be greater than zero");
  spendBytes(count * 16);
  const pick = (): PyValue => {
    const place = Math.random() * last;
    return items[sums.findIndex((sum) => sum > place)] ?? null;
  };
  return new PyList(Array.from({ length: Math.max(0, count) }, pick));
}

/** A number of the normal distribution. */
function normal([mean, deviation]: readonly PyValue[]): number {
  const size = Math.sqrt(-2 * Math.log(1 - Math.random()));
  return wantFloat(mean) + wantFloat(deviation) * size * Math.cos(2 * Math.PI * Math.random());
}

/** The module `random`. Its numbers cannot be had again, so there is no seed. */
export const RANDOM_MODULE = new PyModule(
  "random",
  new Map<string, PyValue>([
    entry("random", "", () => Math.random()),
    entry("randint", "a b", ([a = null, b = null]) => randomRange([a, wantInt(b) + 1n])),
    entry("randrange", "start", randomRange, { stop: null, step: 1n }),
    entry("getrandbits", "k", ([k]) => randomBits(wantIndex(k))),
    entry("uniform", "a b", ([a, b]) => wantFloat(a) + (wantFloat(b) - wantFloat(a)) * Math.random()),
    entry("choice", "seq", ([values = null]) => {
      const length = pyLength(values);
      if (length === 0) throw new PyError("IndexError", "Cannot choose from an empty sequence");
      return readIndex(values, below(BigInt(length)));
    }),
    entry("choices", "population", choices, { weights: null, cum_weights: null, k: 1n }),
    entry("sample", "population k", ([values = null, k]) => {
      if (values instanceof PySet) throw typeError("Population must be a sequence.  For dicts or sets, use sorted(d).");
      const items = itemsOf(values);
      const count = wantIndex(k);
      if (count < 0 || count > items.length) throw valueError("Sample larger than population or is negative");
      return new PyList(shuffled(items).slice(0, count));
    }),
    entry("shuffle", "x", ([list]) => {
      if (!(list instanceof PyList)) throw typeError("a list is needed");
      list.replaceItems(shuffled(list.items()));
      return null;
    }),
    entry("gauss", "", normal, { mu: 0, sigma: 1 }),
    entry("normalvariate", "", normal, { mu: 0, sigma: 1 }),
  ]),
  "Random SystemRandom betavariate expovariate gammavariate getstate lognormvariate paretovariate randbytes seed setstate triangular vonmisesvariate weibullvariate",
);

/** `uuid.UUID` */
class PyUuid extends PyObject {
  readonly typeName = "UUID";
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  get #digits(): string {
    return this.text.replaceAll("-", "");
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "hex") return this.#digits;
    if (name === "int") return BigInt(`0x${this.#digits}`);
    if (name === "version") return BigInt(Number.parseInt(this.text.charAt(14), 16));
    return name === "bytes" ? PyBytes.fromArray(Buffer.from(this.#digits, "hex")) : undefined;
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyUuid && other.text === this.text;
  }

  override hashKey(): string {
    return `\0u${this.text}`;
  }

  override str(): string {
    return this.text;
  }

  repr(): string {
    return `UUID('${this.text}')`;
  }
}

function readUuid(text: string): PyUuid {
  const digits = text
    .replace(/^urn:uuid:/i, "")
    .replaceAll(/[{}-]/g, "")
    .toLowerCase();
  if (!/^[\da-f]{32}$/.test(digits)) throw valueError("badly formed hexadecimal UUID string");
  return new PyUuid(digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
}

/** The module `uuid`. */
export const UUID_MODULE = new PyModule(
  "uuid",
  new Map<string, PyValue>([
    entry("uuid4", "", () => new PyUuid(crypto.randomUUID())),
    entry("UUID", "hex", ([text]) => {
      if (typeof text !== "string")
        throw typeError("one of the hex, bytes, bytes_le, fields, or int arguments must be given");
      return readUuid(text);
    }),
  ]),
  "NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 SafeUUID getnode uuid1 uuid3 uuid5",
);
