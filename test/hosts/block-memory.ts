/**
 * Reads, exports or imports a large table in this process: `bun block-memory.ts WHAT ROWS FOLDER`. Prints the growth of
 * the anonymous memory at its peak, in MB. `block-memory.test.ts` starts it.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { anonymous, type DocumentGrant, NO_REQUEST_INFO } from "../../src/authorization.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { OpenDocument } from "../../src/doc/document.ts";
import { inferTables } from "../../src/exchange/infer-tables.ts";
import type { Rendered } from "../../src/hosts/documents.ts";
import { runFileJob } from "../../src/hosts/files/file-job.ts";
import { exportVerbs } from "../../src/hosts/verbs/exports.ts";
import { readVerbs } from "../../src/hosts/verbs/reads.ts";
import { addSampleTable } from "../doc/read/sample-table.ts";

const [what = "", rowsText = "", folder = ""] = Bun.argv.slice(2);
const rows = Number(rowsText);
let peak = 0;
const measure = (): void => {
  peak = Math.max(peak, Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? 0));
};

const grant = { uuid: "x", role: "owners", actor: anonymous, request: NO_REQUEST_INFO } as unknown as DocumentGrant;
const READS: Readonly<Record<string, (document: OpenDocument) => Rendered>> = {
  records: (document) => readVerbs["records.fetch"].run(document, grant, { table: "Big", hidden: false, typed: false }),
  columns: (document) => readVerbs["data.fetch"].run(document, grant, { table: "Big", typed: false }),
  csv: (document) =>
    exportVerbs["export.delimited"].run(document, grant, { table: "Big", header: "label", format: "csv" }),
  xlsx: (document) => exportVerbs["export.sheet"].run(document, grant, { table: "Big", header: "label" }),
};

if (what === "import") {
  const path = join(folder, "big.csv");
  writeCsv(path);
  Bun.gc(true);
  measure();
  const before = peak;
  const from = { path, name: "big.csv" };
  const maxBytes = Number.MAX_SAFE_INTEGER;
  const stop = setInterval(measure, 20);
  const staged = await runFileJob({ kind: "stage", from, choices: {}, to: join(folder, "import"), maxBytes });
  measure();
  const file = inferTables(staged as Parameters<typeof inferTables>[0], { locale: "en-US", isLocaleFixed: true });
  await runFileJob({ kind: "fill", file, to: join(folder, "document.grist"), nowMs: Date.now() });
  measure();
  clearInterval(stop);
  console.log((peak - before) / 1024);
} else {
  using document = createBig(join(folder, "document.grist"));
  Bun.gc(true);
  measure();
  const before = peak;
  const answer = READS[what]?.(document);
  if (!answer || answer.kind === "unchanged") throw new Error(`${what} has no response`);
  measure();
  if (answer.kind === "cursor") while (document.cursors.next(answer.cursor)) measure();
  console.log((peak - before) / 1024);
}

function createBig(path: string): OpenDocument {
  createDocumentFile(path);
  const document = new OpenDocument(path, { durability: "normal" });
  const { db } = document;
  addSampleTable(db, { id: "Big", columns: { Name: "Text", Qty: "Int", Price: "Numeric", Due: "Date", Note: "Text" } });
  db.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into Big (id, manualSort, Name, Qty, Price, Due, Note)
     select i, i, 'name ' || i, i % 1000, i / 7.0, 1700000000 - i % 900 * 86400, 'a note on row ' || i from n`,
    rows,
  );
  document.onChanged({ schema: true });
  return document;
}

function writeCsv(path: string): void {
  const file = openSync(path, "wx");
  writeSync(file, "Name,Qty,Price,Due,Note\n");
  for (let first = 0; first < rows; first += 1000) {
    const lines = Array.from({ length: 1000 }, (_, at) => {
      const i = first + at;
      return `name ${i},${i % 1000},${i / 8},2024-01-${String((i % 28) + 1).padStart(2, "0")},a note on row ${i}\n`;
    });
    writeSync(file, lines.join(""));
  }
  closeSync(file);
}
