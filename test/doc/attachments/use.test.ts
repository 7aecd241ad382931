import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  contentLocations,
  recordMoved,
  recordStored,
  storeEmbedded,
  readEmbedded,
} from "../../../src/doc/attachments/contents.ts";
import {
  attachmentColumns,
  removeUnreferencedContents,
  EXPIRY_MS,
  markUnusedActions,
  removeUnusedActions,
  usedAttachments,
} from "../../../src/doc/attachments/attachment-usage.ts";
import { marshal } from "../../../src/values/marshal.ts";
import { Scratch } from "../actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "T",
      [
        { id: "F", type: "Attachments" },
        { id: "N", type: "Int" },
      ],
    ],
    ["BulkAddRecord", "_grist_Attachments", [1, 2, 3, 4], { fileIdent: ["a", "b", "c", "a"] }],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const used = (): number[] => [...usedAttachments(scratch.document)].toSorted((a, b) => a - b);
const marked = (): unknown => scratch.document.db.values("select id, timeDeleted from _grist_Attachments order by id");

describe("an attachment counts as used", () => {
  test("in a cell of any Attachments column", () => {
    scratch.apply([
      ["BulkAddRecord", "T", [null, null, null], { F: [["L", 1, 3], null, ["L", 3, 3]], N: [2, 2, 2] }],
      ["AddTable", "U", [{ id: "G", type: "Attachments" }]],
      ["AddRecord", "U", null, { G: ["L", 4] }],
    ]);
    expect(attachmentColumns(scratch.document)).toEqual([
      { table: "T", column: "F" },
      { table: "U", column: "G" },
    ]);
    expect(used()).toEqual([1, 3, 4]);
    scratch.do("RemoveTable", "U");
    expect(used()).toEqual([1, 3]);
  });

  test("in the result of a formula", () => {
    scratch.apply([
      ["AddColumn", "T", "Same", { type: "Attachments", isFormula: true, formula: "$F" }],
      ["AddRecord", "T", null, { F: ["L", 2] }],
    ]);
    expect(used()).toEqual([2]);
  });

  test("in cells of old files, but not in text that only resembles a list", () => {
    scratch.apply([["BulkAddRecord", "T", [null, null, null, null], { N: [1, 2, 3, 4] }]]);
    const { db } = scratch.document;
    const cells = [marshal(["L", 2, 9]), "[1, broken", '{"a":3}', '["x",4.5,null]'];
    for (const [at, cell] of cells.entries()) db.run("update T set F = ? where id = ?", cell, at + 1);
    expect(used().filter(Number.isInteger)).toEqual([2, 9]);
  });
});

test("marks an unused attachment once, and unmarks it when it is used again", () => {
  const { document } = scratch;
  scratch.apply([["AddRecord", "T", null, { F: ["L", 1] }]]);
  const mark = (nowMs: number): void => void scratch.apply(markUnusedActions(document, nowMs));
  mark(10_000);
  expect(marked()).toEqual([
    [1, null],
    [2, 10],
    [3, 10],
    [4, 10],
  ]);
  expect(markUnusedActions(document, 99_000)).toEqual([]);
  scratch.apply([["UpdateRecord", "T", 1, { F: ["L", 2] }]]);
  mark(20_000);
  expect(marked()).toEqual([
    [1, 20],
    [2, null],
    [3, 10],
    [4, 10],
  ]);
  expect(removeUnusedActions(document, 15_000)).toEqual([["BulkRemoveRecord", "_grist_Attachments", [3, 4]]]);
  expect(removeUnusedActions(document, 20_000 - EXPIRY_MS)).toEqual([]);
  expect(removeUnusedActions(document, 20_000)).toEqual([["BulkRemoveRecord", "_grist_Attachments", [1, 3, 4]]]);
});

describe("contents of attachments", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const text = (content: Uint8Array | null): string | null => content && new TextDecoder().decode(content);

  test("are deleted without an attachment, and those in stores are returned", () => {
    const { db } = scratch.document;
    storeEmbedded(db, [
      { ident: "a", bytes: bytes("A") },
      { ident: "old", bytes: bytes("old") },
    ]);
    recordStored(db, [
      { ident: "c", storageId: "s", missingFrom: null },
      { ident: "gone", storageId: "s", missingFrom: null },
    ]);
    expect(removeUnreferencedContents(scratch.document)).toEqual([{ ident: "gone", storageId: "s" }]);
    expect(contentLocations(db, ["a", "b", "c", "old", "gone"])).toEqual([
      { kind: "embedded", sizeBytes: 1 },
      null,
      { kind: "store", storageId: "s" },
      null,
      null,
    ]);
  });

  test("keep their location unless they are moved", () => {
    const { db } = scratch.document;
    storeEmbedded(db, [{ ident: "a", bytes: bytes("first") }]);
    storeEmbedded(db, [{ ident: "a", bytes: bytes("other") }]);
    recordStored(db, [{ ident: "a", storageId: "s", missingFrom: null }]);
    expect(text(readEmbedded(db, "a"))).toBe("first");
    recordMoved(db, { ident: "a", storageId: "s" });
    expect([readEmbedded(db, "a"), contentLocations(db, ["a"])]).toEqual([null, [{ kind: "store", storageId: "s" }]]);
    recordStored(db, [{ ident: "a", storageId: "t", missingFrom: null }]);
    expect(contentLocations(db, ["a"])).toEqual([{ kind: "store", storageId: "s" }]);
    recordStored(db, [{ ident: "a", storageId: "t", missingFrom: "s" }]);
    expect(contentLocations(db, ["a"])).toEqual([{ kind: "store", storageId: "t" }]);
    storeEmbedded(db, [{ ident: "a", bytes: bytes("back") }]);
    expect(text(readEmbedded(db, "a", { start: 1, end: 3 }))).toBe("ac");
  });

  test("a row without bytes and store is reported missing until the content is stored again", () => {
    const { db } = scratch.document;
    db.run("insert into _gristsys_Files (ident) values ('a')");
    expect(contentLocations(db, ["a"])).toEqual([{ kind: "missing" }]);
    storeEmbedded(db, [{ ident: "a", bytes: bytes("") }]);
    expect([contentLocations(db, ["a"]), text(readEmbedded(db, "a"))]).toEqual([
      [{ kind: "embedded", sizeBytes: 0 }],
      "",
    ]);
  });
});
