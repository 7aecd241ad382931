import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { storeEmbedded } from "../../../src/doc/attachments/contents.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { Scratch } from "./scratch.ts";

/** Tables that refer to each other, with two-way references, sections, formats and summaries. */
const TWO_WAY: readonly UserAction[] = [
  ["AddTable", "People", [{ id: "Name" }, { id: "Age", type: "Int" }, { id: "Boss", type: "Ref:People" }]],
  [
    "AddTable",
    "Pets",
    [
      { id: "Owner", type: "Ref:People" },
      { id: "Friends", type: "RefList:People" },
      { id: "Who", formula: "$Owner.Name" },
    ],
  ],
  ["BulkAddRecord", "People", [null, null, null], { Name: ["ann", "bob", "cy"], Age: [10, 20, 30], Boss: [0, 1, 1] }],
  ["BulkAddRecord", "Pets", [null, null, null], { Owner: [1, 1, 3], Friends: [["L", 1, 2], null, ["L", 3]] }],
  ["AddReverseColumn", "Pets", "Owner"],
  ["AddReverseColumn", "Pets", "Friends"],
  ["AddEmptyRule", "People", 0, 0],
  [
    "BulkAddRecord",
    "_grist_Filters",
    [null, null, null, null],
    { viewSectionRef: [4, 4, 7, 7], colRef: [6, 8, 10, 12], filter: ["", '{"excluded":[1]}', '{"included":[1]}', ""] },
  ],
  ["CreateViewSection", 2, 0, "record", [7], null],
  ["CreateViewSection", 3, 0, "record", [10, 11], null],
  ["CreateViewSection", 3, 0, "record", [12], null],
];

/** Choices, dates, attachments, trigger formulas, and summaries by lists and formulas; a filter, a link, a format. */
const ORDERS: readonly UserAction[] = [
  [
    "AddTable",
    "People",
    [
      { id: "Name" },
      { id: "City", type: "Choice", widgetOptions: '{"choices":["Oslo","Rome"]}' },
      { id: "Files", type: "Attachments" },
    ],
  ],
  [
    "AddTable",
    "Orders",
    [
      { id: "Item" },
      { id: "Qty", type: "Numeric" },
      { id: "Buyer", type: "Ref:People" },
      { id: "Tags", type: "ChoiceList" },
      { id: "Day", type: "Date" },
      { id: "At", type: "DateTime:Europe/Berlin" },
      { id: "Total", type: "Numeric", isFormula: true, formula: "$Qty * 2" },
      { id: "Who", isFormula: true, formula: "$Buyer.Name" },
      { id: "Edits", type: "Int", isFormula: false, formula: "(value or 0) + 1", recalcWhen: 2 },
    ],
  ],
  ["AddColumn", "People", "Orders", { formula: "Orders.lookupRecords(Buyer=$id)", isFormula: true }],
  ["BulkAddRecord", "People", [null, null], { Name: ["ann", "bob"], City: ["Oslo", ""], Files: [["L", 1, 2], null] }],
  [
    "BulkAddRecord",
    "Orders",
    [null, null, null, null],
    {
      Item: ["nut", "bolt", "nut", ""],
      Qty: [1, 2.5, 3, null],
      Buyer: [1, 2, 1, 0],
      Tags: [["L", "red"], ["L", "red", "a"], null, ["L"]],
      Day: [0, 86_400, null, 1_700_000_000],
    },
  ],
  ["SetDisplayFormula", "Orders", null, 12, "$Buyer.Name"],
  ["CreateViewSection", 3, 2, "record", null, null],
  ["UpdateRecord", "_grist_Views_section", 10, { linkSrcSectionRef: 4, linkTargetColRef: 12 }],
  [
    "BulkAddRecord",
    "_grist_Filters",
    [null, null, null],
    { viewSectionRef: [10, 10, 7], colRef: [13, 10, 12], filter: ['{"included":["red"]}', "", '{"excluded":[0]}'] },
  ],
  ["CreateViewSection", 3, 3, "record", [13], null],
  ["CreateViewSection", 3, 0, "chart", [12, 17], null],
  ["AddEmptyRule", "Orders", 0, 13],
  ["AddEmptyRule", "Orders", 30, 0],
];

const FILES = ["one", "two"];

/** The files of start documents, each created once: test files share them, and remove their temporary folders. */
const made = new Map<readonly UserAction[], Uint8Array>();

function fileOf(actions: readonly UserAction[]): Uint8Array {
  const file = made.get(actions) ?? readFileSync(createFile(actions));
  made.set(actions, file);
  return file;
}

/** Returns the path of a closed document. */
function createFile(actions: readonly UserAction[]): string {
  using scratch = new Scratch();
  const { document } = scratch;
  document.db.transaction(() =>
    storeEmbedded(
      document.db,
      FILES.map((text) => ({ ident: `${text}.txt`, bytes: new TextEncoder().encode(text) })),
    ),
  );
  const attachments = { fileIdent: FILES.map((text) => `${text}.txt`), fileSize: FILES.map((text) => text.length) };
  scratch.apply([["BulkAddRecord", "_grist_Attachments", [null, null], attachments], ...actions]);
  return document.path;
}

/** Opens a new document for a sequence, selected by seed. */
export function startDocument(seed: number): Scratch {
  const path = join(tempFolder(), "document.grist");
  writeFileSync(path, fileOf(seed % 2 === 0 ? TWO_WAY : ORDERS));
  return new Scratch({}, path);
}
