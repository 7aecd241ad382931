/** The documents that commands name. */
import { uuidOfShortId } from "../../lib/short-id.ts";
import { CommandFailure, usageError } from "../command.ts";
import { fetchJson } from "./call-server.ts";
import { printable } from "./printable.ts";
import { resolveServer, serverUrl, type Server, type ServerChoice } from "./profile.ts";

/** A document of a server. */
export interface ServerDocument {
  readonly server: Server;
  readonly id: string;
  /** Of the document in the API: `/api/docs/…`. */
  readonly path: string;
}

const MAX_CANDIDATES = 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds a document by the address of one of its pages, its address in the API, its id, or its name if no other document
 * has it.
 * @throws CommandFailure if no document, or several, have the name
 */
export async function resolveDocument(
  input: ServerChoice,
  text: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ServerDocument> {
  if (isAddress(text)) {
    const { url, id } = parseAddress(text);
    return documentOf(resolveServer(input, url), id);
  }
  const server = resolveServer(input);
  if (text === "") throw usageError("The name of the document is empty");
  if (UUID.test(text) || uuidOfShortId(text) !== null) return documentOf(server, text);
  return documentOf(server, await findByName(server, text, signal));
}

/** Returns whether a text is an address, and not the path of a file or a name. */
export const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/** @throws CommandFailure unless the text is the address of a document, or of something in it */
export function parseAddress(text: string): { url: string; id: string } {
  const url = serverUrl(text);
  const path = new URL(text).pathname.replace(/^\/o\/[^/]+/, "");
  // Quern forwards addresses of pages on the established server, `/ID/NAME`.
  const [, id] = /^\/(?:api\/)?docs?\/([^/]+)/.exec(path) ?? /^\/([A-Za-z0-9]{12,})\/[^/]/.exec(path) ?? [];
  if (id === undefined) throw usageError(`${text} is not the URL of a document, such as ${url}/docs/ID`);
  return { url, id: decoded(id) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const documentOf = (server: Server, id: string): ServerDocument => ({
  server,
  id,
  path: `/api/docs/${encodeURIComponent(id)}`,
});

interface Listed {
  readonly uuid: string;
  readonly urlId?: string | null;
  readonly name: string;
}

interface Workspace {
  readonly name: string;
  readonly docs?: readonly Listed[];
}

interface Candidate extends Listed {
  readonly place: string;
}

async function findByName(server: Server, name: string, signal?: AbortSignal): Promise<string> {
  const all = await listDocuments(server, signal);
  const isNamed = (folded: boolean) => (document: Candidate) =>
    folded ? document.name.toLowerCase() === name.toLowerCase() : document.name === name || document.urlId === name;
  const exact = all.filter(isNamed(false));
  const found = exact.length > 0 ? exact : all.filter(isNamed(true));
  const [only, ...others] = found;
  if (only && others.length === 0) return only.uuid;
  if (only)
    throw new CommandFailure(
      "refused",
      `${found.length} documents have the name ${printable(name)}; use an id:`,
      linesOf(found),
    );
  // The integer id of a document.
  if (/^[1-9]\d{0,14}$/.test(name)) return name;
  const similar = all.filter((document) => document.name.toLowerCase().includes(name.toLowerCase()));
  const question = similar.length > 0 ? "; did you mean:" : "";
  throw new CommandFailure("refused", `Document not found: ${printable(name)}${question}`, linesOf(similar));
}

function linesOf(documents: readonly Candidate[]): string[] {
  const lines = documents
    .slice(0, MAX_CANDIDATES)
    .map(({ uuid, name, place }) => `  ${uuid}  ${printable(name)}  (${printable(place)})`);
  return documents.length > MAX_CANDIDATES ? [...lines, `  … ${documents.length - MAX_CANDIDATES} more`] : lines;
}

/** Returns the documents of all sites that the caller sees. */
async function listDocuments(server: Server, signal?: AbortSignal): Promise<Candidate[]> {
  const request = signal ? { signal } : {};
  const orgs = await fetchJson<{ id: number; name: string }[]>(server, "/api/orgs", request);
  const listed = await Promise.all(
    orgs.map(async ({ id, name: site }) => {
      const workspaces = await fetchJson<Workspace[]>(server, `/api/orgs/${id}/workspaces`, request);
      return workspaces.flatMap(({ name, docs = [] }) => docs.map((each) => ({ ...each, place: `${site}, ${name}` })));
    }),
  );
  const unique = new Map(listed.flat().map((document) => [document.uuid, document]));
  return [...unique.values()];
}
