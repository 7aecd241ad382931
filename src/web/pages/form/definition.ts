/** What the parts of a form are, as the API describes them. */

/** A question: a column, with the options of the column overlaid by those of the field. */
export interface FormFieldDefinition {
  readonly colId: string;
  readonly question: string;
  readonly description: string;
  /** The type of the column, without what follows the colon. */
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Row ids and the values by which a reference shows them; null for other types. */
  readonly refValues: readonly (readonly [number, unknown])[] | null;
}

export interface FormDefinition {
  /** By the ids of fields, which the layout names. */
  readonly formFieldsById: Readonly<Record<string, FormFieldDefinition>>;
  /** The layout as JSON text. */
  readonly formLayoutSpec: string;
  readonly formTableId: string;
  readonly formTitle: string;
}
