import { posix } from "node:path";
import { AppError } from "../../errors.ts";
import { type DateKind, dateKind } from "./dates.ts";
import { type ColumnFormat, columnFormat, formatCode } from "./formats.ts";
import { readXml } from "./xml-reader.ts";
import { unescapeXmlText } from "./xml-escape.ts";
import type { ZipReader } from "../zip-reader.ts";

export interface Sheet {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
}

/** Data that the sheets of a workbook share. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** Whether the workbook uses the 1904 date system. */
  readonly is1904: boolean;
  /** Texts that cells refer to by index. */
  readonly sharedStrings: readonly string[];
  /** Cell styles that format a number as a date or a time. */
  readonly dateKinds: ReadonlyMap<number, DateKind>;
  /** Column formats of cell styles, if a style has one. */
  readonly formats: ReadonlyMap<number, ColumnFormat>;
}

/** Maximum length of all shared texts, which are held in memory. */
const MAX_SHARED_TEXT_LENGTH = 256 * 1024 ** 2;

/** @throws AppError `invalid`, `tooLarge` */
export async function readWorkbook(files: ZipReader): Promise<Workbook> {
  const start = await readRelationships(files, "_rels/.rels");
  const main = [...start.values()].find(({ type }) => type === "officeDocument");
  const path = resolvePartPath("", main?.target ?? "xl/workbook.xml");
  const parts = await readRelationships(
    files,
    posix.join(posix.dirname(path), "_rels", `${posix.basename(path)}.rels`),
  );
  const target = (type: string): string | undefined =>
    [...parts.values()]
      .map((part) => (part.type === type ? resolvePartPath(path, part.target) : undefined))
      .find(Boolean);
  const sheets: Sheet[] = [];
  let is1904 = false;
  await readXml(files.read(path), {
    open(tag, attributes) {
      if (tag === "workbookPr") is1904 = isTrue(attributes["date1904"]);
      if (tag !== "sheet") return;
      const part = parts.get(attributes["r:id"] ?? attributes["id"] ?? "");
      // Chart sheets have no cells.
      if (part?.type === "worksheet") {
        const isHidden = /^(very)?hidden$/i.test(attributes["state"] ?? "");
        sheets.push({ name: attributes["name"] ?? "", path: resolvePartPath(path, part.target), isHidden });
      }
    },
  });
  const texts = target("sharedStrings");
  const styles = target("styles");
  return {
    sheets,
    is1904,
    sharedStrings: texts && files.has(texts) ? await readSharedStrings(files, texts) : [],
    ...(styles && files.has(styles) ? await readStyles(files, styles) : { dateKinds: new Map(), formats: new Map() }),
  };
}

const isTrue = (text: string | undefined): boolean => text === "1" || text === "true";

/** Resolves a part's path relative to the folder of the part that refers to it, or from the root. */
const resolvePartPath = (from: string, target: string): string =>
  target.startsWith("/") ? target.slice(1) : posix.join(posix.dirname(from), target);

interface Relationship {
  /** The last segment of its type URI. */
  readonly type: string;
  readonly target: string;
}

async function readRelationships(files: ZipReader, path: string): Promise<Map<string, Relationship>> {
  const found = new Map<string, Relationship>();
  if (!files.has(path)) return found;
  await readXml(files.read(path), {
    open(tag, { Id: id = "", Type: type = "", Target: target = "" }) {
      if (tag === "Relationship") found.set(id, { type: type.split("/").at(-1) ?? "", target });
    },
  });
  return found;
}

async function readSharedStrings(files: ZipReader, path: string): Promise<string[]> {
  const texts: string[] = [];
  let text = "";
  let length = 0;
  let isText = false;
  let isPhonetic = false;
  await readXml(files.read(path), {
    open(tag) {
      if (tag === "si") text = "";
      else if (tag === "t") isText = true;
      else if (tag === "rPh") isPhonetic = true;
    },
    close(tag) {
      if (tag === "t") isText = false;
      else if (tag === "rPh") isPhonetic = false;
      else if (tag === "si") {
        length += text.length;
        if (length > MAX_SHARED_TEXT_LENGTH) throw new AppError("tooLarge", "The workbook contains too much text");
        texts.push(unescapeXmlText(text));
      }
    },
    text(value) {
      if (isText && !isPhonetic) text += value;
    },
  });
  return texts;
}

async function readStyles(files: ZipReader, path: string): Promise<Pick<Workbook, "dateKinds" | "formats">> {
  const codes = new Map<number, string>();
  const dateKinds = new Map<number, DateKind>();
  const formats = new Map<number, ColumnFormat>();
  let isOfCells = false;
  let style = 0;
  await readXml(files.read(path), {
    open(tag, attributes) {
      if (tag === "numFmt") codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "");
      else if (tag === "cellXfs") isOfCells = true;
      else if (tag === "xf" && isOfCells) {
        const id = Number(attributes["numFmtId"] ?? 0);
        const kind = dateKind(id, codes.get(id));
        if (kind) dateKinds.set(style, kind);
        const code = formatCode(id, codes.get(id));
        const format = code === undefined ? null : columnFormat(code, { isDate: kind !== null });
        if (format) formats.set(style, format);
        style++;
      }
    },
    close(tag) {
      if (tag === "cellXfs") isOfCells = false;
    },
  });
  return { dateKinds, formats };
}
