import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { BlobStore } from "../../src/backup/blob-store.ts";
import { FolderTarget } from "../../src/backup/folder-target.ts";
import { readDocument } from "../../src/backup/read-document.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { Database } from "../../src/sqlite/database.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

test("a backup holds no snapshot of an open document while it compresses and stores the copy", async () => {
  const folder = tempFolder();
  const path = join(folder, "document.grist");
  createDocumentFile(path);
  using writer = new Database(path, { journal: "wal" });
  writer.exec("insert into Table1 (A) values ('first')");
  const target = new FolderTarget(join(folder, "backups"));
  using _ = await target.prepare();
  const temporaryFolder = join(folder, "tmp");
  mkdirSync(temporaryFolder);
  let isLogFree: boolean | undefined;
  const options = { pool: await BlobStore.open(target), temporaryFolder };
  const { source } = await readDocument(path, {
    ...options,
    onCompressed() {
      writer.exec("insert into Table1 (A) values ('second')");
      isLogFree = writer.checkpoint("truncate");
      return Promise.resolve();
    },
  });
  expect({ source, isLogFree }).toEqual({ source: null, isLogFree: true });
});
