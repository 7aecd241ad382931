/** The choices of the import window, and the requests that they make. */

/** How the file is read; missing choices are detected. */
export interface ReadingChoices {
  readonly header?: number;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly decimal?: string;
  readonly dates?: string;
}

/** A column of the file goes to no column, to a new one, or to the one with an id. */
export type ColumnGoal = { readonly kind: "none" | "new" } | { readonly kind: "column"; readonly id: string };

export type MatchMode = "add" | "update" | "skip";

/** An import into an existing table. */
export interface IntoTable {
  readonly table: string;
  /** The columns of the file, by their names. */
  readonly goals: ReadonlyMap<string, ColumnGoal>;
  readonly mode: MatchMode;
  /** Ids of the columns that tell whether a row exists. */
  readonly key: readonly string[];
  readonly addsNew: boolean;
}

export interface ImportChoices {
  readonly reading: ReadingChoices;
  /** Types by columns of the file. */
  readonly types: Readonly<Record<string, string>>;
  /** Tables of the file; null for all. */
  readonly sheets: readonly string[] | null;
  /** Columns of the file that new tables do not get. */
  readonly leftOut: readonly string[];
  readonly into: IntoTable | null;
  /** The name of a new document. */
  readonly documentName: string;
}

export const NO_CHOICES: ImportChoices = {
  reading: {},
  types: {},
  sheets: null,
  leftOut: [],
  into: null,
  documentName: "",
};

export interface ImportRequest {
  readonly query: Readonly<Record<string, string | boolean>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const withTypes = ({ reading, types }: ImportChoices) => ({
  ...reading,
  ...(Object.keys(types).length > 0 && { types }),
});

/** The request that reads the whole file: all of its tables, for new tables. */
export const detectionRequest = (choices: ImportChoices): ImportRequest => ({ query: {}, body: withTypes(choices) });

/** The request of the import itself. */
export function importRequest(choices: ImportChoices, isDocument: boolean): ImportRequest {
  const { sheets, leftOut, into, documentName } = choices;
  const body = {
    ...withTypes(choices),
    ...(sheets?.length === 1 ? { sheet: sheets[0] } : sheets && { sheets }),
  };
  if (into) return intoTableRequest(into, body);
  return {
    query: {},
    body: {
      ...body,
      ...(leftOut.length > 0 && { leaveOut: leftOut }),
      ...(!isDocument && documentName !== "" && { documentName }),
    },
  };
}

function intoTableRequest({ table, goals, mode, key, addsNew }: IntoTable, body: ImportRequest["body"]): ImportRequest {
  const entries = [...goals].flatMap(([name, goal]) =>
    goal.kind === "new" ? [] : [[name, goal.kind === "column" ? goal.id : null] as const],
  );
  const addsColumns = [...goals.values()].some(({ kind }) => kind === "new");
  return {
    query: { table, ...(addsColumns && { addColumns: true }) },
    body: {
      ...body,
      columns: Object.fromEntries(entries),
      ...(mode !== "add" && { key, onMatch: mode, onNew: addsNew ? "add" : "skip" }),
    },
  };
}

/** Why choices make no import yet; null when they do. */
export type MissingChoice = "columns" | "key" | "rows" | "sheets";

export function missingChoice({ sheets, into }: ImportChoices): MissingChoice | null {
  if (sheets?.length === 0) return "sheets";
  if (!into) return null;
  if (![...into.goals.values()].some(({ kind }) => kind !== "none")) return "columns";
  if (into.mode === "add") return null;
  if (into.key.length === 0) return "key";
  return into.mode === "skip" && !into.addsNew ? "rows" : null;
}
