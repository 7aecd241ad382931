/** Data embedded in the SQL page for its script. */
export interface SqlPageData {
  readonly docId: string;
  readonly name: string;
  /** The limits of a query. */
  readonly timeoutMs: number;
}
