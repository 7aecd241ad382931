/** What the page of SQL carries for its script. */
export interface SqlPageData {
  readonly docId: string;
  readonly name: string;
  /** What a query may take. */
  readonly timeoutMs: number;
}
