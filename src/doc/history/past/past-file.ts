import { renameSync } from "node:fs";
import { sha256Hex } from "../../../lib/ids.ts";
import { Database } from "../../../sqlite/database.ts";
import { quote } from "../../../sqlite/quote.ts";
import { vacuumInto } from "../../../sqlite/vacuum.ts";
import { ChangeCounter, renewCounter } from "../../change-counter.ts";
import { removeDatabase } from "../../file-copy.ts";
import { storedTables } from "../../migrations/stored-tables.ts";
import type { State } from "../states.ts";
import { type RevertLimits, revertStates } from "./revert-states.ts";
import { listTimedStates, type StateList } from "./state-times.ts";

/**
 * Writes a temporary file with a document as it was at a state: a snapshot of its file, which may be open, without the
 * changes since. Internal tables of the server are left out. The file's change counter depends on the state and on the
 * content of the snapshot.
 * @throws AppError as `revertStates`; then nothing remains at `to` or beside it
 */
export function writePastFile(from: string, to: string, state: State, limits?: RevertLimits): void {
  const copy = `${to}.part`;
  removeDatabase(copy);
  try {
    vacuumInto(from, copy);
    revertCopy(copy, state, limits);
    renameSync(copy, to);
  } finally {
    removeDatabase(copy);
  }
}

/** Lists the states in the history of a file that is not open. */
export function listStatesOfFile(path: string): StateList {
  using db = new Database(path, { readonly: true });
  return listTimedStates(db);
}

function revertCopy(path: string, state: State, limits?: RevertLimits): void {
  using db = new Database(path);
  // An incomplete copy is discarded.
  db.exec("pragma journal_mode = off; pragma synchronous = off");
  const version = versionOf(db);
  db.transaction(() => {
    for (const table of storedTables(db)) if (/^_quern_/i.test(table)) db.exec(`drop table ${quote(table)}`);
    revertStates(db, state, limits);
    renewCounter(db, { epoch: sha256Hex(`${state.h}\n${version}`).slice(0, 16), seq: state.n });
  });
}

/** As `OpenDocument.version` of the snapshot; random if it has none. */
function versionOf(db: Database): string {
  const counter = new ChangeCounter(db);
  counter.refresh();
  return counter.version;
}
