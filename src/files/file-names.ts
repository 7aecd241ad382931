import mime from "mime";
import { extname } from "node:path";
import { extensionOfContent } from "./file-signatures.ts";
import { isIdent } from "./attachment-store.ts";

/** Properties of an uploaded file. */
export interface NamedFile {
  readonly name: string;
  /** The media type that the client declared, without parameters. */
  readonly type: string;
  /** Its first bytes. */
  readonly head: Uint8Array;
}

/**
 * Returns the extension, in lower case with its dot, that a file is served with: that of its name unless the declared
 * type contradicts it; else the one detected from the content; else that of the name, or of the declared type if the
 * name has none. Empty if unknown.
 */
export function extensionOf({ name, type, head }: NamedFile): string {
  const namedExtension = extensionOfName(name);
  if (namedExtension === "") return extensionOfType(type);
  if (extensionOfType(type) === "" || matchesType(namedExtension, type)) return namedExtension;
  return extensionOfContent(head, { extension: namedExtension, type: mime.getType(namedExtension) }) ?? namedExtension;
}

const matchesType = (extension: string, type: string): boolean =>
  mime.getType(extension) === type.toLowerCase() || extensionOfType(type) === extension;

/** Returns the extension of a name, in lower case, with its dot. */
export function extensionOfName(name: string): string {
  const extension = extname(name).toLowerCase();
  return extension === "." ? "" : extension;
}

/** Returns the identifier of a content: its SHA-1 and the extension, if that is valid in a file name. */
export function identOf(sha1: string, extension: string): string {
  const ident = sha1 + extension;
  return isIdent(ident) ? ident : sha1;
}

/** Returns the download name of a file: its own, without folders, with the extension that it is served with. */
export function servedName(name: string, extension: string): string {
  const base = baseName(name);
  if (extension === "" || extensionOfName(base) === "") return base + extension;
  return base.slice(0, base.length - extname(base).length) + extension;
}

/** Returns the part after the last slash. */
export const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** Returns the media type of an extension, with the charset if it is text. */
export function mediaType(extension: string): string {
  const type = (extension !== "" && mime.getType(extension)) || "application/octet-stream";
  return /^text\/|^application\/(json|javascript)$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** Returns the extension of a media type, with its dot; empty if unknown. */
export function extensionOfType(type: string): string {
  const extension = mime.getExtension(type);
  return extension ? `.${extension}` : "";
}
