/** A list of unsigned 32-bit numbers that grows in blocks: appending copies no entries. */
export class GrowingList {
  static readonly #BLOCK = 65_536;
  readonly #blocks: Uint32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length % GrowingList.#BLOCK;
    if (at === 0) this.#blocks.push(new Uint32Array(GrowingList.#BLOCK));
    const block = this.#blocks.at(-1);
    if (block) block[at] = value;
    this.#length++;
  }

  at(index: number): number {
    return this.#blocks[Math.floor(index / GrowingList.#BLOCK)]?.[index % GrowingList.#BLOCK] ?? 0;
  }
}
