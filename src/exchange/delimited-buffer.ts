const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x0a, 0x0d];
/** Longer texts are copied by the engine. */
const MAX_SCANNED_CHARACTERS = 64;
const FIRST_CAPACITY = 65_536;
/** A UTF-16 code unit takes at most this many bytes. */
const MAX_UNIT_BYTES = 3;

/**
 * Collects lines of delimited text as UTF-8. Characters are written as bytes immediately: texts of cells that are joined
 * first leave several times as much garbage, and take twice as long.
 */
export class DelimitedBuffer {
  readonly #separator: Buffer;
  /** 1 for ASCII characters that a cell may contain without quotes. */
  readonly #isPlain = new Uint8Array(128).fill(1);
  readonly #needsQuotes: RegExp;
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #length = 0;

  constructor(separator: string) {
    this.#separator = Buffer.from(separator);
    this.#needsQuotes = new RegExp(`["\\n\\r${separator}]`, "u");
    for (const code of [QUOTE, LINE_FEED, CARRIAGE_RETURN, separator.charCodeAt(0)]) {
      if (code < this.#isPlain.length) this.#isPlain[code] = 0;
    }
  }

  /** Number of bytes. */
  get length(): number {
    return this.#length;
  }

  addSeparator(): void {
    const separator = this.#separator;
    const { length } = separator;
    this.#reserve(length);
    // An iterator would take longer than all other work on a cell.
    for (let at = 0; at < length; at++) this.#bytes[this.#length++] = separator[at] ?? 0;
  }

  endLine(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = LINE_FEED;
  }

  addCell(text: string): void {
    if (text.length > MAX_SCANNED_CHARACTERS || !this.#addPlainCell(text)) this.#addAnyCell(text);
  }

  /** Returns the bytes, and removes them from the buffer. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return new Uint8Array(bytes);
  }

  /** Adds a text of ASCII characters without quotes; returns false, and adds nothing, for any other text. */
  #addPlainCell(text: string): boolean {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    const isPlain = this.#isPlain;
    const start = this.#length;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (isPlain[code] !== 1) return false;
      bytes[start + at] = code;
    }
    this.#length = start + text.length;
    return true;
  }

  #addAnyCell(text: string): void {
    const written = this.#needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    this.#reserve(written.length * MAX_UNIT_BYTES);
    this.#length += this.#bytes.write(written, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
