import { COLUMNS, guessed, GUESSES, PATHS, query, type Way } from "./guesses.ts";

export const aggregate = (table: string, column: string): Way[] => [
  ["POST", `tables/${table}/aggregate`, { groupBy: [column], totals: true, sort: ["-count"] }],
  [
    "POST",
    `tables/${table}/aggregate`,
    {
      measures: Object.fromEntries(
        ["count", "countDistinct", "min", "max", "first", "last"].map((name) => [name, { [name]: column }]),
      ),
    },
  ],
  ["POST", `tables/${table}/aggregate`, { measures: { sum: { sum: column } }, filter: { [column]: GUESSES } }],
];

/** Aggregates and downloads of the records that a filter selects. */
export const selected: Way[] = [...Object.entries(COLUMNS), ...Object.entries(PATHS)].flatMap(([table, columns]) =>
  columns.flatMap((column): Way[] => {
    const [unequal = {}, , filled = {}, below = {}] = guessed(column);
    const download = (filter: object): Way => query("download/csv", { tableId: table, filter: JSON.stringify(filter) });
    return [
      ["POST", `tables/${table}/aggregate`, { groupBy: ["id"], filter: below, sort: ["-id"], limit: 3 }],
      ["POST", `tables/${table}/aggregate`, { filter: filled, measures: { ids: { max: "id" } }, totals: true }],
      download(unequal),
      download({ [column]: GUESSES }),
    ];
  }),
);

/** Sorts of aggregates, and several groups with a limit. */
export const grouped: Way[] = ["Secret", "Title", "Amount", "Link"].flatMap((column): Way[] => [
  ["POST", "tables/Items/aggregate", { groupBy: ["City"], measures: { m: { max: column } }, sort: ["-m"], limit: 1 }],
  ["POST", "tables/Items/aggregate", { groupBy: ["City", column], measures: { n: "count" }, limit: 2, totals: true }],
  ["POST", "tables/Items/aggregate", { groupBy: [{ column, by: "month" }] }],
]);

/** Webhooks with filters by guesses: only owners may add them, whatever the filter. */
export const hooked: Way[] = ["Secret", "Title", "Amount", "Link.Name", "Box.Key", "Nope"].flatMap((column) =>
  [...guessed(column), { [column]: "x" }].map((filter): Way => {
    const fields = { url: "https://receiver.example/", eventTypes: ["add"], tableId: "Items", filter };
    return ["POST", "webhooks", { webhooks: [{ fields }] }];
  }),
);
