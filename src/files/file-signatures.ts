/** Magic bytes of a file type. */
interface Signature {
  readonly extension: string;
  readonly bytes: Uint8Array | readonly number[];
  /** Offset of the bytes; 0 by default. */
  readonly at?: number;
  /** Other extensions of the same type. */
  readonly also?: readonly string[];
  /**
   * Several formats share this container: the extension decides between them, unless it belongs to a different type.
   */
  readonly isContainer?: boolean;
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

const SIGNATURES: readonly Signature[] = [
  { extension: ".png", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { extension: ".jpg", bytes: [0xff, 0xd8, 0xff], also: [".jpeg", ".jpe", ".jfif"] },
  { extension: ".gif", bytes: ascii("GIF8") },
  { extension: ".webp", bytes: ascii("WEBP"), at: 8 },
  { extension: ".tif", bytes: [0x49, 0x49, 0x2a, 0x00], also: [".tiff"] },
  { extension: ".tif", bytes: [0x4d, 0x4d, 0x00, 0x2a], also: [".tiff"] },
  { extension: ".pdf", bytes: ascii("%PDF-") },
  { extension: ".zip", bytes: [0x50, 0x4b, 0x03, 0x04], isContainer: true },
  { extension: ".gz", bytes: [0x1f, 0x8b, 0x08], isContainer: true },
  { extension: ".bz2", bytes: ascii("BZh") },
  { extension: ".xz", bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { extension: ".7z", bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { extension: ".rar", bytes: ascii("Rar!\x1a\x07") },
  { extension: ".tar", bytes: ascii("ustar"), at: 257 },
  { extension: ".mp3", bytes: ascii("ID3") },
  { extension: ".ogg", bytes: ascii("OggS"), also: [".oga", ".ogv", ".opus"] },
  { extension: ".flac", bytes: ascii("fLaC") },
  { extension: ".wav", bytes: ascii("WAVE"), at: 8 },
  { extension: ".avi", bytes: ascii("AVI "), at: 8 },
  { extension: ".mp4", bytes: ascii("ftyp"), at: 4, also: [".m4a", ".m4v", ".mov", ".heic", ".avif", ".3gp"] },
  { extension: ".sqlite", bytes: ascii("SQLite format 3\0"), isContainer: true },
  { extension: ".rtf", bytes: ascii("{\\rtf") },
  { extension: ".wasm", bytes: [0x00, 0x61, 0x73, 0x6d] },
];

/** Number of bytes required to detect a type. */
export const SIGNATURE_BYTES = 512;

/** The type of a file according to its name. */
export interface NamedFileType {
  readonly extension: string;
  /** The media type of the extension; null if unknown. */
  readonly type: string | null;
}

/**
 * Returns the extension for a file's first bytes, or the one of its name if both match; null if they are not
 * recognized.
 */
export function extensionOfContent(head: Uint8Array, named: NamedFileType): string | null {
  const match = SIGNATURES.find(({ bytes, at = 0 }) => Array.from(bytes).every((byte, i) => head[at + i] === byte));
  if (!match) return null;
  const fits = match.also?.includes(named.extension) || (match.isContainer && !isNotContainer(named));
  return fits ? named.extension : match.extension;
}

/** Returns true for types that are certainly not containers: text, images, audio. */
const isNotContainer = ({ type }: NamedFileType): boolean =>
  /^(text|image|audio|video)\/|\/(pdf|json)$/.test(type ?? "");
