/** Fields for the options of a column type. */
export interface TypeFields {
  readonly elements: readonly HTMLElement[];
  /** `:People` after `Ref`; empty without one. */
  typeArgument(): string;
  /** Options to set; undefined removes one. */
  options(): Record<string, unknown>;
  /** Applies formats detected in the cells. Returns false when that changes nothing. */
  suggest?(formats: Readonly<Record<string, unknown>>): boolean;
  /** Resolves when the available values are loaded. */
  ready?(): Promise<void>;
  /** For choices: new names by former ones, which cells follow. */
  renames?(): Readonly<Record<string, string>>;
  /** For references: the display column in the referenced table; null shows ids. */
  shows?(): ShownTarget | null;
  /** The column in which texts are looked up; null for the display column. */
  matchesBy?(): ShownTarget | null;
  /** Whether rows are added for texts that no row has. */
  addsMissing?(): boolean;
  /** Offers to add this number of rows. */
  showMissing?(count: number): void;
  /** What changes about the reverse column; null for nothing. */
  reverse?(): ReverseChange | null;
}

/** A column of the referenced table, by row id and column id. */
export interface ShownTarget {
  readonly ref: number;
  readonly id: string;
}

export interface ReverseChange {
  /** Whether the link to the present reverse column is removed. */
  readonly stops: boolean;
  /** The label of a new reverse column; empty for the default, null for none. */
  readonly adds: string | null;
}
