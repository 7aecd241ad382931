/** A column in a section. */
export interface ShownField {
  /** Row id in `_grist_Views_section_field`. */
  readonly ref: number;
  /** Whether its formats and styles are those of the section only. */
  readonly hasOwnSettings: boolean;
  /** JSON as text. */
  readonly columnOptions: string;
  /** The column that references show, by its row id. */
  readonly visibleCol: number;
  /** Row ids of the columns of its own conditional styles, as stored. Without own settings, they do not apply. */
  readonly rules: unknown;
}
