/** The tables and columns that queries can name. */

export interface SchemaColumn {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

export interface SchemaTable {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly SchemaColumn[];
}
