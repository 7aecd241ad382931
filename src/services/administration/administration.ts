/** Administrators' view of the whole installation. */
import type { Role, UserGrant } from "../../authorization.ts";
import { VERSION } from "../../lib/build.ts";
import { diskSpace, readProcessMetrics } from "../../lib/observability/process-metrics.ts";
import { containsAllWords, normalizeForSearch } from "../../lib/text/search-text.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";

/** Current figures. */
export interface ServerOverview {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Resident memory without file mappings; all resident memory where the system does not report that. */
  readonly memoryBytes: number;
  /** Threads of the process; null if the system does not report it. */
  readonly threads: number | null;
  readonly disk: { readonly freeBytes: number; readonly sizeBytes: number } | null;
  readonly users: number;
  readonly documents: number;
  /** Total size of all document files. */
  readonly documentBytes: number;
  readonly openDocuments: number;
  readonly documentThreads: number;
}

/**
 * Returns the state of the server.
 * @param folder the data folder
 * @throws AppError `forbidden`
 */
export async function describeServer(ctx: Context, grant: UserGrant, folder: string): Promise<ServerOverview> {
  guardAdmin(grant, "view this page");
  const { anonymousBytes, residentBytes, threads, startTimeSeconds } = readProcessMetrics();
  const sizes = documentsWithSizes(ctx, grant).map(({ sizeBytes }) => sizeBytes ?? 0);
  const { open, threads: documentThreads } = await ctx.documents.measure();
  return {
    version: VERSION,
    startedAt: startTimeSeconds * 1000,
    memoryBytes: anonymousBytes ?? residentBytes,
    threads,
    disk: diskSpace(folder),
    users: ctx.home.users.list().filter(({ kind }) => kind === "person").length,
    documents: sizes.length,
    documentBytes: sizes.reduce((sum, size) => sum + size, 0),
    openDocuments: open,
    documentThreads,
  };
}

/** A part of a list. */
export interface SearchResult<T> {
  readonly items: readonly T[];
  /** Number of matches, including matches beyond the returned part. */
  readonly total: number;
}

export interface SearchOptions {
  /** Words that must all occur; empty for all. */
  readonly search: string;
  readonly limit: number;
}

export interface SizedDocument {
  readonly uuid: string;
  readonly name: string;
  readonly workspaceName: string;
  /** The site's name; for personal sites, with the owner's name. */
  readonly siteName: string;
  /** The caller's role; null for no access. */
  readonly role: Role | null;
  readonly isRemoved: boolean;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** Null if the file is missing. */
  readonly sizeBytes: number | null;
}

export interface DocumentWithSnapshots extends SizedDocument {
  /** Number of snapshots. */
  readonly snapshots: number;
}

/**
 * Returns the documents of all sites, including those in the trash, largest first.
 * @throws AppError `forbidden`
 */
export async function searchDocuments(
  ctx: Context,
  grant: UserGrant,
  { search, limit }: SearchOptions,
): Promise<SearchResult<DocumentWithSnapshots>> {
  guardAdmin(grant, "view this page");
  const terms = normalizeForSearch(search);
  const matches = documentsWithSizes(ctx, grant)
    .filter(({ name, workspaceName, siteName }) =>
      containsAllWords(normalizeForSearch(`${name} ${workspaceName} ${siteName}`), terms),
    )
    .toSorted((a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0));
  const items: DocumentWithSnapshots[] = [];
  for (const document of matches.slice(0, limit)) {
    items.push({ ...document, snapshots: (await ctx.snapshots.list(document.uuid)).length });
  }
  return { items, total: matches.length };
}

const documentsWithSizes = ({ home, documents }: Context, { actor }: UserGrant): SizedDocument[] =>
  home.documents.listAll(actor.userId).map(({ uuid, name, workspaceName, siteName, role, removedAt, updatedAt }) => ({
    uuid,
    name,
    workspaceName,
    siteName,
    role,
    updatedAt,
    isRemoved: removedAt !== null,
    sizeBytes: documents.sizeBytes(uuid),
  }));
