/** Dry runs on an open document. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { applyUserActions, type UserAction } from "../../src/doc/actions/apply-user-actions.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { CALCULATION_LIMITS } from "../../src/doc/formulas/calculation-limits.ts";
import { readTiming, startTiming } from "../../src/doc/formulas/timing-session.ts";
import { OpenDocument, type OpenDocumentOptions } from "../../src/doc/document.ts";
import { DRY_RUN_MS } from "../../src/doc/dry-run/dry-run.ts";
import { runDry } from "../../src/doc/dry-run/run-dry.ts";
import { AppError } from "../../src/errors.ts";
import { SYSTEM_USER } from "../../src/doc/user-info.ts";
import { Logged, RUNTIMES } from "../hosts/logged.ts";
import { bytes } from "../hosts/hosted.ts";
import { TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { grantOf } from "./read/sample.ts";

const GRANT = grantOf("sample");

function newDocument(options: OpenDocumentOptions = {}): OpenDocument {
  const path = join(tempFolder(), "document.grist");
  createDocumentFile(path);
  return new OpenDocument(path, options);
}

const apply = (document: OpenDocument, ...actions: UserAction[]) =>
  applyUserActions(document, actions, { parse: false, user: SYSTEM_USER, nowMs: 0 });
const dry = (document: OpenDocument, ...actions: UserAction[]) =>
  runDry(document, GRANT, () => apply(document, ...actions));

const NUMBERS: UserAction[] = [
  [
    "AddTable",
    "T",
    [
      { id: "N", type: "Int" },
      { id: "Twice", type: "Int", isFormula: true, formula: "$N * 2" },
    ],
  ],
  ["BulkAddRecord", "T", Array.from({ length: 3000 }, () => null), { N: Array.from({ length: 3000 }, (_, n) => n) }],
];

test("all computed cells are counted, also cells that a change does not record", () => {
  using document = newDocument({ calculation: { ...CALCULATION_LIMITS, recordedCells: 10 } });
  apply(document, ...NUMBERS);
  const { tables } = dry(document, ["ModifyColumn", "T", "Twice", { formula: "$N * 3 + 1" }]);
  expect(tables.find(({ table }) => table === "T")).toMatchObject({
    rows: { changed: 3000 },
    cells: { changed: 3000, recomputed: 3000 },
  });
});

test("the versions of rolled-back contents are not those of later ones", () => {
  using document = newDocument();
  const seen = new Set<string>();
  const versions: string[] = [];
  const change = () => {
    apply(document, ["AddRecord", "Table1", null, {}]);
    versions.push(document.version);
  };
  for (let n = 0; n < 3; n++) runDry(document, GRANT, change);
  document.db.transaction(change);
  for (const version of versions) seen.add(version);
  expect(seen.size).toBe(4);
});

test("a timing session does not count it", () => {
  using document = newDocument();
  apply(document, ...NUMBERS);
  startTiming(document, "sample");
  dry(document, ["UpdateRecord", "T", 1, { N: 7 }]);
  expect(readTiming(document)).toEqual([]);
  apply(document, ["UpdateRecord", "T", 1, { N: 7 }]);
  expect(readTiming(document)).toMatchObject([{ tableId: "T", colId: "Twice", count: 1 }]);
});

describe("the time limit holds in", () => {
  const late = (document: OpenDocument, clock: TestClock, ...actions: UserAction[]) => {
    try {
      runDry(document, GRANT, () => {
        apply(document, ["AddRecord", "T", null, { N: 1 }]);
        clock.pass(DRY_RUN_MS);
        apply(document, ...actions);
      });
    } catch (error) {
      return error instanceof AppError ? [error.reason, error.details] : error;
    }
    return "done";
  };
  const LATE = ["dry_run.time_limit", { tables: [{ table: "T", rows: { added: 1, changed: 0, removed: 0 } }] }];

  test.each<[name: string, actions: UserAction[]]>([
    ["added rows", [["AddRecord", "T", null, { N: 1 }]]],
    ["updated rows", [["UpdateRecord", "T", 1, { N: 9 }]]],
    ["removed rows", [["RemoveRecord", "T", 1]]],
    ["the schema", [["AddColumn", "T", "M", { type: "Int" }]]],
    ["no action", []],
  ])("%s", (_, actions) => {
    const clock = new TestClock();
    using document = newDocument({ clock });
    apply(document, ...NUMBERS);
    const before = [readFileSync(document.path), readFileSync(`${document.path}-wal`)];
    expect(late(document, clock, ...actions)).toEqual(LATE);
    expect([readFileSync(document.path), readFileSync(`${document.path}-wal`)]).toEqual(before);
    expect(dry(document, ["RemoveRecord", "T", 1]).tables).toMatchObject([{ table: "T", rows: { removed: 1 } }]);
  });
});

test.each(RUNTIMES)("%s, no commit is reported in log mode", async (kind) => {
  await using logged = new Logged(kind);
  const { runtime, uuid, commits, path } = logged;
  await logged.make();
  await logged.add({ A: 1 });
  const before = [commits.length, readFileSync(path), readFileSync(`${path}-wal`)];
  const columns = { columns: [{ id: "Total", fields: { formula: "len($A)", isFormula: true } }] };
  const args = { table: "Table1", body: bytes(columns) };
  const { bytes: report } = await runtime.call(grantOf(uuid), "changes.preview", { verb: "columns.add", args });
  expect(new TextDecoder().decode(report)).toContain('"Total"');
  expect([commits.length, readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
  await logged.add({ A: 2 });
  expect(commits.length).toBe(Number(before[0]) + 1);
  await runtime.whileClosed(uuid, () => undefined);
  expect(logged.isFollowed()).toBe(true);
});
