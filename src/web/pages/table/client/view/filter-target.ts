/** Where the filter builder begins. */
export interface FilterTarget {
  /** The index of a condition, as chips count them. */
  readonly part?: number;
  /** A column whose condition is shown, or added. */
  readonly columnId?: string;
  /** Adds a condition. */
  readonly isNew?: boolean;
}
