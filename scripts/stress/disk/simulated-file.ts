import type { Random } from "../random.ts";

type Change = { readonly number: number } & (
  | { readonly offset: number; readonly data: Uint8Array }
  | { readonly size: number }
);

/** The disk's atomic unit: a sector has either its old or its new content, whatever happens. */
const SECTOR = 512;

/** A file of the model: its durable content, and the changes since. */
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

  /** Makes all changes with a number below `before` durable. */
  sync(before: number): void {
    for (const change of this.#pending) if (change.number < before) this.#durable.apply(change);
    this.#pending = this.#pending.filter(({ number }) => number >= before);
  }

  /**
   * Returns a possible content after a power cut: of the changes that are not durable none, all, all up to some point,
   * or each sector and the size as of an independent point, which is the worst case of a disk.
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

/** A growable byte array that does not copy for each write. */
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

  /** Writes only to sectors for which `survives` returns true. */
  applyWhere(change: Change, survives: (sector: number) => boolean): void {
    if ("size" in change) {
      for (let at = change.size; at < this.size; at = nextSector(at)) {
        if (survives(Math.floor(at / SECTOR))) this.#bytes.fill(0, at, Math.min(nextSector(at), this.size));
      }
      return;
    }
    const end = change.offset + change.data.length;
    for (let at = change.offset; at < end; at = nextSector(at)) {
      if (!survives(Math.floor(at / SECTOR))) continue;
      this.#write(at, change.data.subarray(at - change.offset, Math.min(nextSector(at), end) - change.offset));
    }
  }

  resize(size: number): void {
    this.#reserve(size);
    if (size < this.size) this.#bytes.fill(0, size, this.size);
    this.size = size;
  }

  content(): Uint8Array {
    // Not slice: of a Buffer, it shares the memory instead of copying.
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
