/** The rows of large documents and of the baseline. */
export const COLUMNS = [
  { id: "Key", type: "Text" },
  { id: "City", type: "Text" },
  { id: "Qty", type: "Int" },
  { id: "Price", type: "Numeric" },
  { id: "Done", type: "Bool" },
  { id: "Due", type: "Date" },
  { id: "Tag", type: "Choice" },
  { id: "Note", type: "Text" },
] as const;

const CITIES = ["Riga", "Quito", "Osaka", "Tunis", "Perth", "Turin", "Malmö", "Accra"];

/** Returns the stored cells of a row. */
export const rowOf = (id: number): (string | number | boolean)[] => [
  `key ${id}`,
  CITIES[id % CITIES.length] ?? "",
  (id * 6151) % 1000,
  (id % 883) / 7,
  id % 3 === 0,
  1_700_000_000 - (id % 900) * 86_400,
  id % 2 === 0 ? "red" : "blue",
  `a note on row ${id}`,
];
