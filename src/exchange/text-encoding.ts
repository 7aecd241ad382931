import { invalidFile } from "../errors.ts";
import { fileChunks } from "./file-chunks.ts";

/** Character encoding of a file. */
export interface Encoding {
  /** A name of the WHATWG Encoding Standard. */
  readonly name: string;
  /** True if invalid bytes become U+FFFD instead of an error. */
  readonly isLenient: boolean;
  /** True if all bytes were validated and none is a control character. */
  readonly isChecked: boolean;
}

/** A lookup table by byte value: faster than a function call for each of a hundred million bytes. */
const byteTable = (isSuch: (byte: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (isSuch(byte) ? 1 : 0));

/** Bytes that do not occur in text in any single-byte encoding. */
const CONTROL_BYTES = byteTable((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127);

/** Bytes without a character in Windows-1252. */
const UNDEFINED_BYTES = byteTable((byte) => [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte));

function containsAny(bytes: Buffer, such: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (such[bytes[at] ?? 0] === 1) return true;
  return false;
}

/**
 * Detects the encoding of a text file by its byte order mark, or by all of its bytes. Mostly valid UTF-8 counts as
 * UTF-8, because its letters would become pairs of wrong ones in any other encoding; any other text is Windows-1252.
 * @param requestedName an encoding that the request specifies
 * @throws AppError `invalid` for a file that is not text, or for an unknown name
 */
export async function detectEncoding(path: string, requestedName?: string): Promise<Encoding> {
  if (requestedName !== undefined)
    return { name: normalizeEncodingName(requestedName), isLenient: false, isChecked: false };
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isUtf8 = true;
  let isFirst = true;
  for await (const chunk of fileChunks(path)) {
    if (isFirst) {
      const bomEncoding = encodingByBom(chunk);
      if (bomEncoding) return { name: bomEncoding, isLenient: false, isChecked: false };
    }
    isFirst = false;
    if (containsAny(chunk, CONTROL_BYTES)) throw notTextError();
    if (isUtf8) isUtf8 = isDecodable(decoder, chunk);
  }
  if (isUtf8 && isDecodable(decoder)) return { name: "utf-8", isLenient: false, isChecked: true };
  const { isBrokenUtf8, isPossible1252 } = await inspectInvalidUtf8(path);
  if (isBrokenUtf8) return { name: "utf-8", isLenient: true, isChecked: true };
  if (isPossible1252) return { name: "windows-1252", isLenient: false, isChecked: true };
  throw invalidFile("The file's encoding is not supported: save it as UTF-8, or specify encoding");
}

const notTextError = () => invalidFile("The file is not a text file, or its encoding is not supported");

function normalizeEncodingName(requestedName: string): string {
  try {
    return decoderFor(requestedName, { fatal: true }).encoding;
  } catch {
    throw invalidFile(`encoding ${JSON.stringify(requestedName.slice(0, 50))} is unknown`);
  }
}

/**
 * Inspects bytes that are not valid UTF-8: broken UTF-8 mostly has valid characters beyond ASCII, which hardly occur by
 * chance in another encoding.
 */
async function inspectInvalidUtf8(path: string): Promise<{ isBrokenUtf8: boolean; isPossible1252: boolean }> {
  const decoder = new TextDecoder("utf-8");
  let isPossible1252 = true;
  let validCount = 0;
  let brokenCount = 0;
  for await (const chunk of fileChunks(path)) {
    if (isPossible1252) isPossible1252 = !containsAny(chunk, UNDEFINED_BYTES);
    for (const [character] of decoder.decode(chunk, { stream: true }).matchAll(/[^\p{ASCII}]/gu)) {
      if (character === "\ufffd") brokenCount++;
      else validCount++;
    }
  }
  return { isBrokenUtf8: validCount > brokenCount, isPossible1252 };
}

/** Control characters other than tabs and line breaks. */
const CONTROL_CHARACTERS = /(?![\t-\r\u0080-\u009f])\p{Cc}/u;

function encodingByBom(bytes: Buffer): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  // Without a byte order mark, every other byte of western text in UTF-16 is zero.
  if (first !== 0 && second === 0) return "utf-16le";
  return first === 0 && second !== 0 && second !== undefined ? "utf-16be" : undefined;
}

function isDecodable(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
}

/**
 * Streams the text of a file, without a byte order mark.
 * @throws AppError `invalid` for bytes that are invalid in the encoding
 */
export async function* readText(
  path: string,
  { name, isLenient, isChecked }: Encoding,
  onRead?: (readBytes: number, fileBytes: number) => void,
): AsyncGenerator<string, void, undefined> {
  const decoder = decoderFor(name, { fatal: !isLenient });
  const decode = (chunk?: Buffer): string => {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw invalidFile(`The file is not valid ${name.toUpperCase()}`);
    }
    if (!isChecked && CONTROL_CHARACTERS.test(text)) throw notTextError();
    return text;
  };
  for await (const chunk of fileChunks(path, onRead)) {
    yield decode(chunk);
  }
  yield decode();
}

/** The runtime's type declarations list fewer encodings than it supports. */
const decoderFor = (name: string, options: { fatal: boolean }): TextDecoder =>
  new TextDecoder(name as Bun.Encoding, options);
