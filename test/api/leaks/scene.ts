import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import type { WrittenRules } from "../../doc/rules/ruled.ts";

/** Two documents that differ only in what is hidden from the editor. */

/** One of the two documents. */
export type Side = 0 | 1;

/** A kind of hidden data. */
export interface Kind {
  readonly name: string;
  /** In addition to rules that prevent editors from changing tables, since formulas can read everything. */
  readonly rules: WrittenRules;
  /** The difference, as actions of the owner: equally many for both documents. */
  readonly differs: (side: Side) => UserAction[];
  /** A request whose responses differ for the owner: proves that there is something to leak. */
  readonly proof: string;
  /** A change of hidden data by the owner, while the editor is subscribed to the document. */
  readonly changes: UserAction;
}

/** Values of hidden cells, by document; the attacker guesses them. */
export const TEXTS = ["left", "right"] as const;
export const NUMBERS = [111, 222] as const;

/** Rows 2 and 4 of `Items` and `People` are locked. Row 99 does not exist. */
export const BASE: readonly UserAction[] = [
  [
    "AddTable",
    "People",
    [
      { id: "Name", type: "Text", isFormula: false },
      { id: "Pay", type: "Numeric", isFormula: false },
      { id: "Locked", type: "Bool", isFormula: false },
    ],
  ],
  [
    "BulkAddRecord",
    "People",
    [1, 2, 3, 4],
    { Name: ["Ann", "Bob", "Cid", "Dot"], Pay: [1, 2, 3, 4], Locked: [false, true, false, true] },
  ],
  ["AddTable", "Vault", [{ id: "Key", type: "Text", isFormula: false }]],
  ["BulkAddRecord", "Vault", [1, 2], { Key: ["k1", "k2"] }],
  [
    "AddTable",
    "Items",
    [
      { id: "Title", type: "Text", isFormula: false },
      { id: "City", type: "Choice", isFormula: false },
      { id: "Amount", type: "Numeric", isFormula: false },
      { id: "Secret", type: "Text", isFormula: false },
      { id: "Locked", type: "Bool", isFormula: false },
      { id: "Link", type: "Ref:People", isFormula: false },
      { id: "Links", type: "RefList:People", isFormula: false },
      { id: "Box", type: "Ref:Vault", isFormula: false },
    ],
  ],
  [
    "BulkAddRecord",
    "Items",
    [1, 2, 3, 4, 5, 6],
    {
      Title: ["t1", "t2", "t3", "t4", "t5", "t6"],
      City: ["Oslo", "Oslo", "Rome", "Lima", "Bern", "Bern"],
      Amount: [1, 2, 3, 4, 5, 6],
      Secret: ["s1", "s2", "s3", "s4", "s5", "s6"],
      Locked: [false, true, false, true, false, false],
      Link: [1, 2, 3, 4, 2, 0],
      Links: [["L", 1], ["L", 1, 2], null, ["L", 4], ["L", 2], ["L", 3]],
      Box: [1, 2, 0, 1, 0, 0],
    },
  ],
  [
    "AddTable",
    "Notes",
    [
      { id: "ByTitle", type: "Ref:Items", isFormula: false },
      { id: "BySecret", type: "Ref:Items", isFormula: false },
      { id: "ByRow", type: "Ref:Items", isFormula: false },
      { id: "Person", type: "Ref:People", isFormula: false },
      { id: "People", type: "RefList:People", isFormula: false },
      { id: "Box", type: "Ref:Vault", isFormula: false },
    ],
  ],
  [
    "BulkAddRecord",
    "Notes",
    [1, 2, 3],
    { ByTitle: [1, 2, 3], BySecret: [1, 2, 3], ByRow: [1, 2, 3], Person: [1, 2, 3], Box: [1, 2, 0] },
  ],
];

/** Display columns of references, in hidden helper columns. */
export const SHOWN: Readonly<Record<string, readonly [table: string, column: string]>> = {
  "Items.Link": ["People", "Name"],
  "Items.Links": ["People", "Name"],
  "Items.Box": ["Vault", "Key"],
  "Notes.ByTitle": ["Items", "Title"],
  "Notes.BySecret": ["Items", "Secret"],
  "Notes.Person": ["People", "Name"],
  "Notes.People": ["People", "Name"],
  "Notes.Box": ["Vault", "Key"],
};

/** Summaries of `Items`, by these columns. */
export const GROUPED_BY: readonly string[] = ["City", "Link"];
export const SUMMARIES = ["Items_summary_City", "Items_summary_Link"] as const;

const HIDDEN = "user.Access != OWNER";
const LOCKED = `${HIDDEN} and rec.Locked`;

/** Prevents editors from changing formulas, which read everything. */
export const NO_STRUCTURE: WrittenRules = { "*:*": [{ formula: HIDDEN, permissions: "-S" }] };

const update = (table: string, id: number, values: object): UserAction => ["UpdateRecord", table, id, values];
const deny = (resource: string, formula = HIDDEN, permissions = "-R"): WrittenRules => ({
  [resource]: [{ formula, permissions }],
});

export const KINDS: readonly Kind[] = [
  {
    name: "a cell",
    rules: deny("Items:Secret", LOCKED),
    differs: (side) => [2, 4].map((id) => update("Items", id, { Secret: TEXTS[side] })),
    proof: "tables/Items/records",
    changes: update("Items", 2, { Secret: "new" }),
  },
  {
    name: "a row",
    rules: deny("Items:*", LOCKED),
    differs: (side) => [
      update("Items", 2, { Title: TEXTS[side], Amount: NUMBERS[side], Secret: TEXTS[side], Links: ["L", 3 + side] }),
      // Groups of its own go with it.
      side === 0 ? update("Items", 4, { Title: "left", Secret: "left" }) : ["RemoveRecord", "Items", 4],
    ],
    proof: "tables/Items/records",
    changes: update("Items", 2, { Title: "new" }),
  },
  {
    name: "a column",
    rules: deny("Items:Secret"),
    differs: (side) => [1, 2].map((id) => update("Items", id, { Secret: TEXTS[side] })),
    proof: "tables/Items/records",
    changes: update("Items", 1, { Secret: "new" }),
  },
  {
    name: "a table",
    rules: deny("Vault:*", HIDDEN, "none"),
    differs: (side) => [
      update("Vault", 2, { Key: TEXTS[side] }),
      side === 0 ? ["AddRecord", "Vault", 3, { Key: "more" }] : update("Vault", 1, { Key: "right" }),
    ],
    proof: "tables/Vault/records",
    changes: update("Vault", 1, { Key: "new" }),
  },
  {
    name: "a row that references lead to",
    rules: deny("People:*", LOCKED),
    differs: (side) => [2, 4].map((id) => update("People", id, { Name: TEXTS[side], Pay: NUMBERS[side] })),
    proof: "tables/Items/records?hidden=true",
    changes: update("People", 2, { Name: "new" }),
  },
  {
    name: "a row that references lead to, or none",
    rules: deny("People:*", LOCKED),
    // An undo step leaves references unchanged.
    differs: (side) => [
      ["ApplyDocActions", side === 0 ? [update("People", 2, { Name: "left" })] : [["RemoveRecord", "People", 2]]],
    ],
    proof: "tables/Items/records?hidden=true",
    changes: update("People", 4, { Name: "new" }),
  },
  {
    name: "a column that references show",
    rules: deny("People:Name"),
    differs: (side) => [1, 2].map((id) => update("People", id, { Name: TEXTS[side] })),
    proof: "tables/Items/records?hidden=true",
    changes: update("People", 2, { Name: "new" }),
  },
  {
    name: "a cell that references show",
    rules: deny("People:Name", LOCKED),
    differs: (side) => [2, 4].map((id) => update("People", id, { Name: TEXTS[side] })),
    proof: "tables/Items/records?hidden=true",
    changes: update("People", 2, { Name: "new" }),
  },
  {
    name: "a table that references lead to",
    rules: deny("People:*", HIDDEN, "none"),
    differs: (side) => [1, 2].map((id) => update("People", id, { Name: TEXTS[side] })),
    proof: "tables/Items/records?hidden=true",
    changes: update("People", 2, { Name: "new" }),
  },
  {
    name: "a reference, with what it shows",
    rules: deny("Items:Link,Links", LOCKED),
    differs: (side) => [update("Items", 2, { Link: 1 + side, Links: ["L", 2 + side] })],
    proof: "tables/Items/records",
    changes: update("Items", 2, { Link: 4 }),
  },
  {
    name: "the group of a summary",
    rules: deny("Items:*", `${HIDDEN} and rec.Title in ['t5', 't6']`),
    differs: (side) => [5, 6].map((id) => update("Items", id, { City: side === 0 ? "Bern" : "Basel" })),
    proof: "tables/Items_summary_City/records",
    changes: update("Items", 5, { Amount: 50 }),
  },
  {
    name: "the column that a summary groups by",
    rules: deny("Items:City"),
    differs: (side) => [1, 2, 3].map((id) => update("Items", id, { City: side === 0 ? "Oslo" : `Oslo ${id}` })),
    proof: "tables/Items_summary_City/records",
    changes: update("Items", 1, { City: "new" }),
  },
  {
    name: "a cell that a summary groups by",
    rules: deny("Items:City", LOCKED),
    differs: (side) => [update("Items", 4, { City: TEXTS[side] })],
    proof: "tables/Items_summary_City/records",
    changes: update("Items", 4, { City: "new" }),
  },
  {
    name: "cells that a summary adds up",
    rules: deny("Items:Amount", LOCKED),
    differs: (side) => [update("Items", 2, { Amount: NUMBERS[side] })],
    proof: "tables/Items_summary_City/records",
    changes: update("Items", 2, { Amount: 7 }),
  },
  {
    name: "the column that a summary adds up",
    rules: deny("Items:Amount"),
    differs: (side) => [update("Items", 1, { Amount: NUMBERS[side] })],
    proof: "tables/Items_summary_City/records",
    changes: update("Items", 1, { Amount: 7 }),
  },
  {
    name: "rows that a summary adds up",
    rules: deny("Items:*", LOCKED),
    differs: (side) => [update("Items", 2, { Amount: NUMBERS[side] })],
    proof: "tables/Items_summary_City/records",
    changes: update("Items", 2, { Amount: 7 }),
  },
];
