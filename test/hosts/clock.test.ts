import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { applyUserActions } from "../../src/doc/actions/apply-user-actions.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import { SYSTEM_USER } from "../../src/doc/user-info.ts";
import { documentFile } from "../../src/hosts/files/document-files.ts";
import { OpenDocuments } from "../../src/hosts/open-documents.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const HOUR = 3_600_000;

test("formulas that depend on the time are recomputed while a document is open and after it is reopened", () => {
  let now = Date.UTC(2024, 0, 31, 22);
  const folder = tempFolder();
  const told: string[] = [];
  using documents = new OpenDocuments({
    folder,
    clock: { now: () => now, elapsed: () => now },
    log: silentLog,
    durability: "normal",
    maxOpen: 5,
    idleMs: 12 * HOUR,
    history: HISTORY_LIMITS,
    onRecalculated: (uuid) => told.push(uuid),
  });
  mkdirSync(join(folder, "docs", "a"), { recursive: true });
  createDocumentFile(documentFile(folder, "a"));
  const columns = [
    { id: "Today", formula: "str(TODAY())", isFormula: true },
    { id: "Shown", formula: "$Today + '!'", isFormula: true },
  ];
  const document = documents.get("a");
  applyUserActions(
    document,
    [
      ["AddTable", "T", columns],
      ["AddRecord", "T", null, {}],
    ],
    { parse: false, user: SYSTEM_USER, nowMs: now },
  );
  const read = () => documents.get("a").db.values("select Today, Shown from T")[0];
  expect(read()).toEqual(["2024-01-31", "2024-01-31!"]);
  const { version } = document;
  now += HOUR / 2;
  documents.closeIdle();
  expect(document.version).toBe(version);
  expect(told).toEqual([]);
  now += 2 * HOUR;
  documents.closeIdle();
  expect(documents.get("a")).toBe(document);
  expect(read()).toEqual(["2024-02-01", "2024-02-01!"]);
  expect(document.version).not.toBe(version);
  expect(told).toEqual(["a"]);
  now += 24 * HOUR;
  documents.closeIdle();
  expect(documents.size).toBe(0);
  expect(read()).toEqual(["2024-02-02", "2024-02-02!"]);
});
