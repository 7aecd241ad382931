const PAGE_BYTES = 65_536;
const FIRST_PAGE_BYTES = 1024;

/** Texts as bytes in pages: one byte for each UTF-16 code unit, or two for texts with units above 255. */
export class TextPool {
  readonly #pages: Uint8Array<ArrayBuffer>[] = [];
  /** The position after the last text in the last page. */
  #end = 0;
  /** Memory of all pages. */
  bytes = 0;

  /** Returns true for texts that take two bytes for each unit. */
  static isWide(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 255) return true;
    return false;
  }

  /** Adds a text and returns its position. */
  add(text: string, isWide: boolean): number {
    const size = isWide ? text.length * 2 : text.length;
    const at = this.#reserve(size);
    const page = this.#pageOf(at);
    let offset = at % PAGE_BYTES;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      page[offset++] = unit;
      if (isWide) page[offset++] = unit >>> 8;
    }
    return at;
  }

  /** Adds a copy of a text in another pool and returns its position. */
  addFrom(other: TextPool, from: number, size: number): number {
    const at = this.#reserve(size);
    const start = from % PAGE_BYTES;
    this.#pageOf(at).set(other.#pageOf(from).subarray(start, start + size), at % PAGE_BYTES);
    return at;
  }

  /** Returns true when the text at a position, of the same length, is equal. */
  equals(at: number, text: string, isWide: boolean): boolean {
    const page = this.#pageOf(at);
    let offset = at % PAGE_BYTES;
    for (let i = 0; i < text.length; i++) {
      let unit = page[offset++] ?? 0;
      if (isWide) unit += (page[offset++] ?? 0) << 8;
      if (unit !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  read(at: number, length: number, isWide: boolean): string {
    const page = this.#pageOf(at);
    const start = page.byteOffset + (at % PAGE_BYTES);
    const bytes = Buffer.from(page.buffer, start, isWide ? length * 2 : length);
    return bytes.toString(isWide ? "utf16le" : "latin1");
  }

  #pageOf(at: number): Uint8Array<ArrayBuffer> {
    return this.#pages[Math.floor(at / PAGE_BYTES)] ?? NO_PAGE;
  }

  /** Returns the position of free bytes in one page. A longer text than a page has a page of its own. */
  #reserve(size: number): number {
    const last = this.#pages.at(-1);
    if (!last || this.#end + size > last.length) {
      const length = Math.max(size, Math.min(PAGE_BYTES, Math.max(FIRST_PAGE_BYTES, this.bytes)));
      this.#pages.push(new Uint8Array(length));
      this.bytes += length;
      this.#end = 0;
    }
    const at = (this.#pages.length - 1) * PAGE_BYTES + this.#end;
    this.#end += size;
    // The offset of the next text must fit into the position.
    if (this.#end >= PAGE_BYTES) this.#end = Infinity;
    return at;
  }
}

const NO_PAGE = new Uint8Array();
