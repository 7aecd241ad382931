import { extname } from "node:path";

/** What the address of a file, and the headers of its response, say about the file. */

/** Returns the address under which Google offers a spreadsheet as a workbook; null for other addresses. */
export function workbookAddress(url: URL): URL | null {
  if (url.hostname !== "docs.google.com") return null;
  // Published sheets, of which the id is `e`, and exports have the address of a file already.
  const [, path, rest = ""] = /^(\/spreadsheets(?:\/u\/\d+)?\/d\/[\w-]{2,})(\/.*)?$/.exec(url.pathname) ?? [];
  if (path === undefined || /^\/(export|gviz|pub)/.test(rest)) return null;
  const address = new URL(`${path}/export`, url);
  address.search = "?format=xlsx";
  return address;
}

/** True for the page on which Google asks to sign in: the sheet is not public. */
export const isGoogleSignIn = ({ hostname, pathname }: URL): boolean =>
  hostname === "accounts.google.com" ||
  (/(^|\.)google\.com$/.test(hostname) && /^\/(ServiceLogin|v3\/signin)/.test(pathname));

/** True for media types of web pages. */
export const isPage = (type: string): boolean => type === "text/html" || type === "application/xhtml+xml";

const EXTENSIONS_BY_TYPE: Readonly<Record<string, string>> = {
  "text/csv": ".csv",
  "application/csv": ".csv",
  "text/tab-separated-values": ".tsv",
  "text/plain": ".txt",
  "application/json": ".json",
  "application/x-ndjson": ".ndjson",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
  "application/vnd.ms-excel.sheet.macroenabled.12": ".xlsm",
};

const KNOWN_EXTENSIONS =
  /^\.(csv|tsv|dsv|tab|txt|json|ndjson|jsonl|xlsx|xlsm|xls|ods|gz|grist|zip|sqlite3?|db|pdf|xml)$/;

const MAX_NAME_LENGTH = 200;

/** Returns the name of a file: from the header Content-Disposition, or the path of the address. */
export function fileNameOf(url: URL, { disposition, type }: { disposition: string | undefined; type: string }): string {
  const fromPath = decodeOr(url.pathname.split("/").findLast((part) => part !== "") ?? "");
  const given = (disposition === undefined ? null : dispositionName(disposition)) ?? fromPath;
  const name = cleanName(given) || cleanName(url.hostname) || "import";
  return KNOWN_EXTENSIONS.test(extname(name).toLowerCase()) ? name : `${name}${EXTENSIONS_BY_TYPE[type] ?? ""}`;
}

/** Returns the last part of a path without control characters. */
const cleanName = (name: string): string =>
  (name.split(/[/\\]/).at(-1) ?? "")
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, "")
    .trim()
    .slice(-MAX_NAME_LENGTH);

/** Returns the file name of a Content-Disposition (RFC 6266); the extended form takes precedence. */
function dispositionName(disposition: string): string | null {
  const [, extended] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition) ?? [];
  if (extended !== undefined) return decodeOr(extended);
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return quoted?.replaceAll(/\\(.)/g, "$1") ?? token ?? null;
}

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
