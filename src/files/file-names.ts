import mime from "mime";
import { extname } from "node:path";
import { extensionOfContent } from "./file-signatures.ts";
import { isIdent } from "./attachment-store.ts";

/** What is known of an uploaded file. */
export interface NamedFile {
  readonly name: string;
  /** As declared by whoever sends it, without parameters. */
  readonly type: string;
  /** Its first bytes. */
  readonly head: Uint8Array;
}

/**
 * The ending, in lower case and with its dot, that a file is served by: that of its name where the declared type does
 * not contradict; else what the content says of itself; else that of the name, or of the type where the name has none.
 * Empty when nothing tells.
 */
export function extensionOf({ name, type, head }: NamedFile): string {
  const namedExtension = extensionOfName(name);
  if (namedExtension === "") return extensionOfType(type);
  if (extensionOfType(type) === "" || matchesType(namedExtension, type)) return namedExtension;
  return extensionOfContent(head, { extension: namedExtension, type: mime.getType(namedExtension) }) ?? namedExtension;
}

const matchesType = (extension: string, type: string): boolean =>
  mime.getType(extension) === type.toLowerCase() || extensionOfType(type) === extension;

/** The last ending of a name, in lower case, with its dot. */
export function extensionOfName(name: string): string {
  const extension = extname(name).toLowerCase();
  return extension === "." ? "" : extension;
}

/** By which a content is known: its SHA-1 and the ending, so far as that can be part of a file's name. */
export function identOf(sha1: string, extension: string): string {
  const ident = sha1 + extension;
  return isIdent(ident) ? ident : sha1;
}

/** The name a file is handed out by: its own, without folders, with the ending that it is served by. */
export function servedName(name: string, extension: string): string {
  const base = baseName(name);
  if (extension === "" || extensionOfName(base) === "") return base + extension;
  return base.slice(0, base.length - extname(base).length) + extension;
}

/** What follows the last slash. */
export const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** The media type of an ending, with the character set where it is a text. */
export function mediaType(extension: string): string {
  const type = (extension !== "" && mime.getType(extension)) || "application/octet-stream";
  return /^text\/|^application\/(json|javascript)$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** The ending that a media type asks for, with its dot; empty when nothing is known of it. */
export function extensionOfType(type: string): string {
  const extension = mime.getExtension(type);
  return extension ? `.${extension}` : "";
}
