import { join } from "node:path";
import { documentFiles, homeFiles } from "../cluster/log-folder.ts";
import { HOME } from "../cluster/local-documents.ts";
import { type Recovery, recoverDocument, type RecoverOptions } from "../cluster/recover-document.ts";
import { prepareForLog } from "../doc/prepare-for-log.ts";
import { invalid } from "../errors.ts";
import { HOME_FILE } from "../home/home-upgrade.ts";
import { documentFile } from "../hosts/files/document-files.ts";
import { VERSION } from "../lib/build.ts";
import { randomHex } from "../lib/ids.ts";
import { Database } from "../sqlite/database.ts";
import { COUNTER_TABLE, recoverFile } from "../sqlite/wal/commit-count.ts";

/** Decides about a diverged document of a data folder; see `recoverDocument`. */
export function recoverInFolder(options: Pick<RecoverOptions, "url" | "folder" | "doc" | "keeps">): Promise<Recovery> {
  const { doc, folder } = options;
  if (!/^[\w-]{1,64}$/.test(doc)) throw invalid(`not the id of a document: ${doc}`);
  return recoverDocument({
    ...options,
    version: VERSION,
    files: doc === HOME ? homeFiles(join(folder, HOME_FILE)) : documentFiles(documentFile(folder, doc)),
    recover: recoverFile,
    prepare: (path, seq) => (doc === HOME ? renumberHome(path, seq) : prepareForLog(path, { seq })),
  });
}

function renumberHome(path: string, seq: number): { epoch: string; seq: number } {
  const count = { epoch: randomHex(8), seq };
  using db = new Database(path, { journal: "wal" });
  db.run(`insert or replace into ${COUNTER_TABLE} (id, epoch, seq) values (1, ?, ?)`, count.epoch, seq);
  db.checkpoint("truncate");
  return count;
}
