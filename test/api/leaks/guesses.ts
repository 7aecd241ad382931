import { NUMBERS, TEXTS } from "./scene.ts";

/**
 * Requests that could reveal hidden data, relative to a document. `answer`: in NDJSON; `body`: a list whose items are sent as
 * NDJSON, and if that becomes a job, its report is the answer.
 */
export type Way = readonly [method: string, path: string, body?: unknown, lines?: "answer" | "body"];

export const GUESSES = [...TEXTS, ...NUMBERS, "t2", "s2", "Bob", "Bern"];
export const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  Items: [
    "Title",
    "City",
    "Amount",
    "Secret",
    "Link",
    "Links",
    "manualSort",
    "gristHelper_Display",
    "gristHelper_Display2",
    "gristHelper_Display3",
  ],
  People: ["Name", "Pay"],
  Vault: ["Key"],
  Notes: ["ByTitle", "BySecret", "gristHelper_Display", "gristHelper_Display2", "gristHelper_Display3"],
  Items_summary_City: ["City", "count", "Amount", "group"],
  Items_summary_Link: ["Link", "count", "Amount", "gristHelper_Display"],
};
export const TABLES = Object.keys(COLUMNS);

export const get = (path: string): Way => ["GET", path];
export const query = (path: string, values: Record<string, string>): Way =>
  get(`${path}?${new URLSearchParams(values).toString()}`);

/** Paths through references to hidden data. */
export const PATHS: Readonly<Record<string, readonly string[]>> = {
  Items: ["Link.Name", "Link.Pay", "Link.id", "Links.Name", "Links.Pay", "Box.Key", "Box.id", "Box.Nope"],
  Notes: [
    "ByTitle.Title",
    "BySecret.Secret",
    "ByRow.Link.Name",
    "ByRow.Amount",
    "Person.Name",
    "People.Pay",
    "Box.Key",
  ],
};

/** Filters with operators, of a column or a path, by guesses that fit its type. */
export function guessed(column: string): object[] {
  const guess = /Amount|Pay|count/.test(column) ? NUMBERS[0] : /Link|group|By|manualSort/.test(column) ? 2 : TEXTS[0];
  return [
    { [column]: { ne: guess } },
    { not: { [column]: { in: [guess] } } },
    { not: { [column]: { empty: true } } },
    { or: [{ [column]: { lt: guess } }, { [column]: { nin: [guess] } }] },
    { [column]: { contains: "left" } },
    { [column]: { hasAny: ["left", "Bob", 2] } },
    { [column]: { eq: "left" }, id: { gt: 0 } },
  ];
}
