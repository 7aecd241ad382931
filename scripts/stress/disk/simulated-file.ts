import type { Random } from "../random.ts";

type Change = { readonly number: number } & (
  | { readonly offset: number; readonly data: Uint8Array }
  | { readonly size: number }
);

/** What the disk writes as one: a sector is there as it was or as it shall be, whatever happens. */
const SECTOR = 512;

/** A file of the model: what is on the disk for certain, and what was done to it since. */
export class SimulatedFile {
  readonly kind = "file";
  readonly #durable: FileImage;
  #pending: Change[] = [];

  constructor(content: Uint8Array) {
    this.#durable = new FileImage(content);
  }

  change(change: Change): void {
    this.#pending.push(change);
  }

  /** From now on everything before change `before` is certain. */
  sync(before: number): void {
    for (const change of this.#pending) if (change.number < before) this.#durable.apply(change);
    this.#pending = this.#pending.filter(({ number }) => number >= before);
  }

  /**
   * What may be read after a power cut: of what is not certain nothing, all, all up to some point, or each sector and the
   * size as of a point of their own, which is the worst a disk does.
   */
  survivingContent(random: Random): Uint8Array {
    const image = new FileImage(this.#durable.content());
    const steps = this.#pending.length;
    if (steps === 0) return image.content();
    if (random.chance(0.75)) {
      const end = random.pick([0, steps, random.below(steps + 1)]);
      for (const change of this.#pending.slice(0, end)) image.apply(change);
      const torn = this.#pending[end];
      if (torn && "data" in torn) image.apply({ ...torn, data: torn.data.subarray(0, random.below(torn.data.length)) });
      return image.content();
    }
    const ends = new Map<number, number>();
    const endOf = (sector: number) => {
      const end = ends.get(sector) ?? random.below(steps + 1);
      ends.set(sector, end);
      return end;
    };
    const sizeEnd = random.below(steps + 1);
    let size = image.size;
    for (const [index, change] of this.#pending.entries()) {
      image.applyWhere(change, (sector) => index < endOf(sector));
      if (index < sizeEnd) size = "size" in change ? change.size : Math.max(size, change.offset + change.data.length);
    }
    image.resize(size);
    return image.content();
  }
}

/** Bytes that writes may make longer, without a copy for each. */
class FileImage {
  #bytes: Uint8Array;
  size: number;

  constructor(content: Uint8Array) {
    this.#bytes = new Uint8Array(content);
    this.size = content.length;
  }

  apply(change: Change): void {
    if ("size" in change) this.resize(change.size);
    else this.#write(change.offset, change.data);
  }

  /** Only to sectors that `isThere` names. */
  applyWhere(change: Change, isThere: (sector: number) => boolean): void {
    if ("size" in change) {
      for (let at = change.size; at < this.size; at = nextSector(at)) {
        if (isThere(Math.floor(at / SECTOR))) this.#bytes.fill(0, at, Math.min(nextSector(at), this.size));
      }
      return;
    }
    const end = change.offset + change.data.length;
    for (let at = change.offset; at < end; at = nextSector(at)) {
      if (!isThere(Math.floor(at / SECTOR))) continue;
      this.#write(at, change.data.subarray(at - change.offset, Math.min(nextSector(at), end) - change.offset));
    }
  }

  resize(size: number): void {
    this.#reserve(size);
    if (size < this.size) this.#bytes.fill(0, size, this.size);
    this.size = size;
  }

  content(): Uint8Array {
    // Not slice: of a Buffer, as files are read into, that is no copy.
    return new Uint8Array(this.#bytes.subarray(0, this.size));
  }

  #write(offset: number, data: Uint8Array): void {
    this.#reserve(offset + data.length);
    this.#bytes.set(data, offset);
    this.size = Math.max(this.size, offset + data.length);
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

const nextSector = (at: number): number => (Math.floor(at / SECTOR) + 1) * SECTOR;
