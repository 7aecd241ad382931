/** Searches the rows of several documents, a few of them at once. */
import { apiWithRetry, isAborted } from "../../../../base/client/api.ts";

export interface SearchedDocument {
  readonly uuid: string;
  readonly name: string;
  /** The address of its page. */
  readonly href: string;
}

/** A row, as the API finds it. */
export interface FoundRow {
  readonly table: string;
  readonly tableTitle: string;
  readonly row: number;
  readonly columnLabel: string;
  readonly label: string;
  readonly excerpt: string;
}

export interface FoundRows {
  readonly results: readonly FoundRow[];
  readonly isComplete: boolean;
}

export interface DocumentSearch {
  readonly query: string;
  readonly signal: AbortSignal;
  readonly onFound: (document: SearchedDocument, found: FoundRows) => void;
  readonly onFailed: (document: SearchedDocument, error: unknown) => void;
}

/** The server opens the documents that it searches: not many of them for one search. */
const CONCURRENT_SEARCHES = 3;

/** Searches all documents, beginning with the first ones. Never rejects; ends early when the signal aborts. */
export async function searchDocuments(
  documents: readonly SearchedDocument[],
  limit: number,
  { query, signal, onFound, onFailed }: DocumentSearch,
): Promise<void> {
  const queue = [...documents];
  const searchNext = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
      try {
        const found = await searchDocument(next, { query, limit, signal });
        if (!signal.aborted) onFound(next, found);
      } catch (error) {
        if (!isAborted(error) && !signal.aborted) onFailed(next, error);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_SEARCHES }, searchNext));
}

export const searchDocument = (
  { uuid }: SearchedDocument,
  { query, limit, signal }: { query: string; limit: number; signal: AbortSignal },
): Promise<FoundRows> =>
  apiWithRetry<FoundRows>(`/api/docs/${encodeURIComponent(uuid)}/search`, { query: { q: query, limit }, signal });
