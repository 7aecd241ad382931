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
  /** For references: the display column in the referenced table, by row id and column id; null shows ids. */
  shows?(): { ref: number; id: string } | null;
}
