/** Opening a document after a power failure that left a rollback journal. */
import { expect, test } from "bun:test";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { openDocumentFile } from "../../src/doc/open-document.ts";
import { Database } from "../../src/sqlite/database.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

test("an interrupted transaction is rolled back when the document is opened", () => {
  const folder = tempFolder();
  const path = join(folder, "document.grist");
  const cut = join(folder, "cut.grist");
  createDocumentFile(path);
  {
    using db = new Database(path);
    db.exec("create table Numbers (n)");
    db.exec("begin; pragma cache_size = 1");
    // More than the cache holds: SQLite writes into the file before the commit.
    db.exec(
      "insert into Numbers with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000) select n from c",
    );
    copyFileSync(path, cut);
    copyFileSync(`${path}-journal`, `${cut}-journal`);
    db.exec("rollback");
  }
  using document = openDocumentFile(cut);
  expect(document.db.values("select count(*) from Numbers")).toEqual([[0]]);
  expect(existsSync(`${cut}-journal`)).toBe(false);
});
