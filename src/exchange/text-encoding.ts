import { createReadStream } from "node:fs";
import { invalidFile } from "../errors.ts";

/** How a file's bytes stand for characters. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** Bytes that no text has, in any encoding with one byte a character. */
const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127;

/**
 * Finds out how a text file is encoded, by its byte order mark, or by all of its bytes: what is UTF-8 is taken for it,
 * anything else for Windows' form of Latin-1.
 * @throws AppError `invalid` for a file that is no text
 */
export async function findEncoding(path: string): Promise<Encoding> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let isUtf8 = true;
  let isFirst = true;
  for await (const chunk of createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>) {
    if (isFirst) {
      const marked = byMark(chunk);
      if (marked) return marked;
    }
    isFirst = false;
    if (chunk.some(isControl)) throw noText();
    if (isUtf8) isUtf8 = decodes(utf8, chunk);
  }
  return isUtf8 && decodes(utf8) ? "utf-8" : "windows-1252";
}

const noText = () => invalidFile("The file is no text, or is encoded in an unknown way");

/** The same for characters, tabs and line breaks apart. */
const CONTROLS = /(?![\t-\r\u0080-\u009f])\p{Cc}/u;

function byMark(bytes: Buffer): Encoding | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  // Without a mark, UTF-16 of western text shows by every other byte being zero.
  if (first !== 0 && second === 0) return "utf-16le";
  return first === 0 && second !== 0 && second !== undefined ? "utf-16be" : undefined;
}

function decodes(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
}

/**
 * The text of a file, portion after portion, without a byte order mark.
 * @throws AppError `invalid` for bytes that the encoding does not have
 */
export async function* readText(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  // Bytes were looked at when the encoding was found, but where two of them make a character.
  const isWide = encoding.startsWith("utf-16");
  const decode = (chunk?: Buffer): string => {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw invalidFile(`The file is not the ${encoding.toUpperCase()} that it seems to be`);
    }
    if (isWide && CONTROLS.test(text)) throw noText();
    return text;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>) {
    yield decode(chunk);
  }
  yield decode();
}
