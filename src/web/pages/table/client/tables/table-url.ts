/** The page of a table, or of a document, which shows its first table. */
export const tableUrl = (docId: string, table: string | null): string =>
  table === null ? `/docs/${docId}` : `/docs/${docId}/tables/${encodeURIComponent(table)}`;

/** The page of a document that shows a view. */
export const viewUrl = (docId: string, view: number): string => `/docs/${docId}/pages/${view}`;
