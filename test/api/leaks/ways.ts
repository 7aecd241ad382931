import { COLUMNS, get, guessed, GUESSES, PATHS, query, TABLES, type Way } from "./guesses.ts";
import { NUMBERS, SUMMARIES, TEXTS } from "./scene.ts";
import { aggregate, grouped, hooked, selected } from "./selected-ways.ts";

const forms = (table: string): Way[] => [
  get(`tables/${table}/records`),
  get(`tables/${table}/records?hidden=true&cellFormat=typed&total=true`),
  get(`tables/${table}/records?total=true&limit=2`),
  get(`tables/${table}/data`),
  get(`tables/${table}/columns?hidden=true`),
  get(`download/csv?tableId=${table}`),
  get(`download/tsv?tableId=${table}&header=colId`),
  get(`download/xlsx?tableId=${table}`),
  get(`download/table-schema?tableId=${table}`),
];

const ordered = (table: string, column: string): Way[] => {
  const path = `tables/${table}/records`;
  return [
    query(path, { sort: column, limit: "3" }),
    query(path, { sort: `-${column}`, offset: "1", total: "true" }),
    ["POST", `${path}/list`, { sort: [`${column}:emptyLast`], limit: 2 }],
    query(path, { filter: JSON.stringify({ [column]: GUESSES }) }),
    query(path, { filter: JSON.stringify({ [column]: [["C"], null, 2, TEXTS[0], NUMBERS[0]] }), total: "true" }),
  ];
};

/** Ids of rows that are visible, hidden, different between the documents, and missing. */
const IDS = [2, 4, 5, 99];

/** Paths through references and expanded references, with the cells that the grid shows. */
const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  Items: ["Link", "Links", "Box"],
  Notes: ["ByTitle", "BySecret", "ByRow", "Person", "People", "Box"],
  Items_summary_Link: ["Link"],
};
const ENDS = [
  "Name",
  "Pay",
  "Key",
  "Title",
  "City",
  "Secret",
  "Amount",
  "Link.Name",
  "Links.Pay",
  "Box.Key",
  "id",
  "Nope",
];
const throughReferences: Way[] = Object.entries(REFERENCES).flatMap(([table, columns]) => {
  const path = `tables/${table}/records`;
  return columns.flatMap((column): Way[] => [
    ...ENDS.map((end) => query(path, { fields: `${column}.${end}`, cellFormat: "iso" })),
    query(path, { expand: column, limit: "3" }),
    query(path, { expand: `${column}.Link,${column}.Box`, cellFormat: "display" }),
    ["POST", `${path}/list`, { fields: ["id", `${column}.Name`], expand: [`${column}.Links`], limit: 4 }],
    ...IDS.map((id) => query(`${path}/${id}`, { expand: column, cellFormat: "typed" })),
  ]);
});

const filtered: Way[] = [...Object.entries(COLUMNS), ...Object.entries(PATHS)].flatMap(([table, columns]) =>
  columns.flatMap((column) =>
    guessed(column).map((filter) =>
      query(`tables/${table}/records`, { filter: JSON.stringify(filter), total: "true", sort: "id" }),
    ),
  ),
);

/** Lists of values reached through references. */
const listed: Way[] = Object.entries(PATHS).flatMap(([table, paths]) =>
  paths.map((path): Way => ["POST", `tables/${table}/records/list`, { filter: { [path]: [...GUESSES, null] } }]),
);

/** One record per line. */
const lineByLine = (table: string): Way[] => [
  ["GET", `tables/${table}/records?hidden=true`, undefined, "answer"],
  ["GET", `tables/${table}/records?limit=2&cellFormat=display`, undefined, "answer"],
  ["POST", `tables/${table}/records/list`, { limit: 3 }, "answer"],
];

const sql = (table: string): Way => query("sql", { q: `select * from ${table}` });

/** Requests that read whole tables. */
export const TABLES_AS_THEY_ARE: readonly Way[] = TABLES.flatMap((table) => [...forms(table), ...lineByLine(table)]);

/** Requests that read. */
export const READING: readonly Way[] = [
  ...throughReferences,
  ...GUESSES.map((text) => query("search", { q: String(text), limit: "100" })),
  ...["t", "s", "k", "o l", "left oslo"].map((q) => query("search", { q })),
  ...Object.entries(COLUMNS).flatMap(([table, columns]) => columns.flatMap((column) => aggregate(table, column))),
  ...TABLES.flatMap((table) =>
    ["display", "iso"].map((cellFormat) => query(`tables/${table}/records`, { cellFormat })),
  ),
  ...TABLES.flatMap((table) => IDS.map((id) => get(`tables/${table}/records/${id}?hidden=true`))),
  ...TABLES_AS_THEY_ARE,
  ...TABLES.map(sql),
  ...Object.entries(COLUMNS).flatMap(([table, columns]) => columns.flatMap((column) => ordered(table, column))),
  ...filtered,
  ...selected,
  ...grouped,
  ...listed,
  get("tables?expand=columns"),
  get("download/xlsx"),
  get("download"),
  get("states"),
  get("compare?left=HEAD~1&right=HEAD"),
  get("compare?left=HEAD~1&right=HEAD&detail=true"),
  get("attachments"),
  get("webhooks"),
  get("formula-errors"),
  ...["Tables", "Tables_column", "Views", "Views_section", "Views_section_field", "ACLRules", "Cells"].map((name) =>
    get(`tables/_grist_${name}/records`),
  ),
];

/** The written records in the answer. */
const RETURNED = "return=records";

const batch = (...operations: object[]): Way => ["POST", "batch", { operations }];
/** Writes what an earlier operation of a batch found. */
const referring = (name: string) => ({
  op: "add",
  table: "Notes",
  records: [{ fields: { ByRow: { $ref: `${name}.ids.0` } } }],
});

const apply = (...actions: unknown[][]): Way => ["POST", "apply", actions];
const patch = (table: string, id: number, fields: object): Way => [
  "PATCH",
  `tables/${table}/records`,
  { records: [{ id, fields }] },
];
const upsert = (table: string, require: object, fields: object = {}): Way => [
  "PUT",
  `tables/${table}/records`,
  { records: [{ require, fields }] },
];
const note = (fields: object): Way => ["POST", "tables/Notes/records", { records: [{ fields }] }];

/** Writes of cells, with guessed values. */
const guessing = (table: string, column: string, guesses: readonly unknown[]): Way[] =>
  IDS.flatMap((id) => guesses.map((guess) => patch(table, id, { [column]: guess })));

/** References by texts and by values. */
const lookingUp: Way[] = [...TEXTS, "t2", "s2", "t4"].flatMap((text): Way[] => [
  note({ ByTitle: text, BySecret: text, Person: text, Box: text }),
  note({ People: `${text}, Ann` }),
  apply(["AddRecord", "Notes", null, { ByTitle: ["l", text], BySecret: ["l", text] }]),
  apply(["AddRecord", "Notes", null, { ByRow: ["l", text, { column: "Secret" }] }]),
  apply(["AddRecord", "Notes", null, { ByRow: ["l", text, { column: "Title" }] }]),
  apply(["AddRecord", "Notes", null, { ByRow: ["l", text, { column: "City" }] }]),
  apply(["AddRecord", "Notes", null, { Person: ["l", text], People: ["l", [text, "Ann"]] }]),
  apply(["AddRecord", "Notes", null, { Person: ["l", text, { column: "Name" }], Box: ["l", text] }]),
]);

const byNumber: Way[] = [
  ...NUMBERS.flatMap((number) => [
    apply(["AddRecord", "Notes", null, { ByRow: ["l", number, { column: "Amount" }] }]),
    apply(["AddRecord", "Notes", null, { Person: ["l", number, { column: "Pay" }] }]),
  ]),
  ...IDS.flatMap((id) => [
    note({ ByTitle: id, BySecret: id, ByRow: String(id), Person: id, Box: id }),
    note({ ByRow: ["l", id], Person: ["l", id, { column: "id" }], People: ["L", id] }),
  ]),
];

/** Changes of the records that a filter with guesses selects. */
const byFilter: Way[] = ["Secret", "Title", "Amount", "Link", "Link.Name", "Links.Pay", "Box.Key"].flatMap((column) =>
  guessed(column).flatMap((filter): Way[] => {
    const values = { filter: JSON.stringify(filter), return: "ids" };
    const path = (more: Record<string, string>) =>
      `tables/Items/records?${new URLSearchParams({ ...values, ...more }).toString()}`;
    return [
      ["PATCH", path({}), { fields: { City: "Oslo" } }],
      ["PATCH", path({ maxRows: "1" }), { fields: { City: "Oslo" } }],
    ];
  }),
);

const ofRows = (table: string): Way[] =>
  IDS.flatMap((id): Way[] => [
    apply(["AddRecord", table, id, {}]),
    apply(["ApplyDocActions", [["AddRecord", table, id, {}]]]),
    apply(["UpdateRecord", table, id, {}]),
    ["PATCH", `tables/${table}/records/${id}`, { fields: {} }],
    apply(["BulkUpdateRecord", table, [1, id], { manualSort: [1, null] }]),
    ["PATCH", `tables/${table}/data`, { id: [id], manualSort: [null] }],
  ]);

/** An existing group: the row id of a new one depends on hidden groups. */
const group = { City: "Oslo", Link: 1 };

/** Lines of which some are refused; with `onError=skip`, a job reports each of them. */
const byLines: Way[] = ["", "?onError=skip"].flatMap((query) =>
  [...TEXTS, "s2"].flatMap((text): Way[] => [
    [
      "POST",
      `tables/Items/records${query}`,
      [{ ...group, Secret: text }, { Nope: 1 }, { ...group, Title: text }],
      "body",
    ],
    ["POST", `tables/Vault/records${query}`, [{ Key: text }], "body"],
    [
      "PUT",
      `tables/Items/records${query}`,
      [
        { require: { Secret: text }, fields: group },
        { require: { Title: text }, fields: group },
        { require: { id: 2 } },
      ],
      "body",
    ],
    ["PUT", `tables/People/records${query}`, [{ require: { Name: text }, fields: { Pay: 1 } }, {}], "body"],
  ]),
);

/** Requests that write and can be refused. None removes a row visible to the editor, so that the next one finds it. */
export const WRITING: readonly Way[] = [
  ...guessing("Items", "Secret", [...TEXTS, "s2"]),
  ...guessing("Items", "Title", TEXTS),
  ...guessing("Items", "Amount", NUMBERS),
  ...guessing("Items", "Link", [2, "Bob", "left"]),
  ...guessing("People", "Name", TEXTS),
  ...guessing("Vault", "Key", TEXTS),
  ...["Items", "People", "Vault"].flatMap(ofRows),
  ...byLines,
  ...hooked,
  ...lookingUp,
  ...byNumber,
  ...byFilter,
  ...TABLES.flatMap((table) =>
    IDS.flatMap((id): Way[] =>
      [RETURNED, "return=ids"].flatMap((query): Way[] => [
        ["PATCH", `tables/${table}/records?${query}`, { records: [{ id, fields: {} }] }],
        ...(SUMMARIES.some((name) => name === table)
          ? []
          : [["PUT", `tables/${table}/records?${query}`, { records: [{ require: { id } }] }] satisfies Way]),
      ]),
    ),
  ),
  ...TEXTS.flatMap((text): Way[] => [
    batch({ op: "upsert", as: "a", table: "Items", records: [{ require: { Secret: text } }] }, referring("a")),
    batch({ op: "upsert", as: "a", table: "People", records: [{ require: { Name: text } }] }, referring("a")),
    batch(
      { op: "add", as: "a", table: "Notes", records: [{ fields: { ByTitle: text, BySecret: text } }] },
      referring("a"),
    ),
  ]),
  ...["Items", "People", "Vault"].flatMap((table) =>
    IDS.map((id) => batch({ op: "update", as: "a", table, records: [{ id, fields: {} }] }, referring("a"))),
  ),
  // Reveals hidden data, reads it, and hides it again.
  ...TEXTS.map((text) =>
    batch(
      { op: "update", table: "Items", records: [{ id: 2, fields: { Locked: false } }] },
      { op: "update", table: "Items", records: [{ id: 2, fields: { Secret: text } }] },
      { op: "update", table: "Items", records: [{ id: 2, fields: { Locked: true } }] },
    ),
  ),
  ...TEXTS.flatMap((text): Way[] => [
    ["POST", `tables/Notes/records?${RETURNED}`, { records: [{ fields: { ByTitle: text, BySecret: text } }] }],
    ["PUT", `tables/Items/records?${RETURNED}&onmany=all`, { records: [{ require: { City: "Oslo" } }] }],
    ["PATCH", `tables/Items/records?${RETURNED}`, { records: [{ id: 1, fields: { Amount: text.length } }] }],
  ]),
  ...[...TEXTS, "s2"].flatMap((text) => [
    upsert("Items", { Secret: text }),
    upsert("Items", { Title: text }, { Amount: 1 }),
    upsert("Items", { gristHelper_Display: text }, { Amount: 1 }),
    upsert("People", { Name: text }, { Pay: 1 }),
  ]),
  ...SUMMARIES.flatMap((table) => [
    apply(["UpdateRecord", table, 1, { count: 2 }]),
    ...[1, 2, 3, 4, 5].map((id) =>
      apply(["ApplyDocActions", [["UpdateRecord", table, id, { count: 2, Amount: NUMBERS[0] }]]]),
    ),
    apply(["ApplyDocActions", [["AddRecord", table, 4, { City: "Bern" }]]]),
    apply(["ApplyDocActions", [["UpdateRecord", table, 1, { group: ["L", 1] }]]]),
  ]),
  apply(["ApplyDocActions", [["UpdateRecord", "Items", 2, { gristHelper_Display: "left" }]]]),
  apply(["RenameChoices", "Items", "City", { Bern: "Other" }]),
  apply(["AddColumn", "Items", "Copy", { formula: "$Secret" }]),
  apply(["DuplicateTable", "Items", "More", true]),
  // Reveals hidden data, reads it, and hides it again.
  ...TEXTS.map((text) =>
    apply(
      ["UpdateRecord", "Items", 2, { Locked: false }],
      ["AddRecord", "Notes", null, { ByRow: ["l", text, { column: "Secret" }] }],
      ["AddRecord", "Notes", null, { ByRow: ["l", text, { column: "Title" }] }],
      ["UpdateRecord", "Items", 2, { Locked: true }],
    ),
  ),
  ...TEXTS.map((text) =>
    apply(
      ["UpdateRecord", "Items", 2, { Locked: false }],
      ["UpdateRecord", "Items", 2, { Secret: text }],
      ["UpdateRecord", "Items", 2, { Locked: true }],
    ),
  ),
];

/** Requests that remove rows, at the end. */
export const REMOVING: readonly Way[] = [
  ...["Items", "People", "Vault"].flatMap((table) =>
    [2, 4, 99].flatMap((id): Way[] => [
      ["POST", `tables/${table}/records/delete`, [id]],
      ["POST", `tables/${table}/data/delete`, [1, id]],
      ["DELETE", `tables/${table}/records/${id}`],
      apply(["ApplyDocActions", [["RemoveRecord", table, id]]]),
    ]),
  ),
  ...["Secret", "Title", "Link.Name", "Box.Key"].map((column): Way => [
    "POST",
    "tables/Items/records/delete?return=ids",
    { filter: { [column]: { eq: "left" } }, maxRows: 1 },
  ]),
  ["POST", "tables/Items/records/delete?return=ids", { filter: { not: { Secret: { eq: "left" } } } }],
  apply(["ReplaceTableData", "Items", [2], { Secret: ["left"] }]),
  apply(["ApplyDocActions", [["ReplaceTableData", "People", [2], { Name: ["left"] }]]]),
];
