import type { OpenDocument } from "./document.ts";

/**
 * Returns a function that returns the values known of a document by key: an empty map after each commit. For what is read
 * often and changes with the document only. In node memory.
 */
export function untilCommit<V>(): (document: OpenDocument) => Map<string, V> {
  const cache = new WeakMap<OpenDocument, { readonly version: string; readonly known: Map<string, V> }>();
  return (document) => {
    const { version } = document;
    const cached = cache.get(document);
    if (cached?.version === version) return cached.known;
    const known = new Map<string, V>();
    cache.set(document, { version, known });
    return known;
  };
}
