/** The files by which a data folder knows its log. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../errors.ts";
import type { DocumentFiles } from "./log/prepare-file.ts";
import type { FolderPlace } from "./protocol/acquisition.ts";

/** Names the node id of this folder's last process, and where it ran. */
const NODE_FILE = "log-node.json";
const INSTALLATION_FILE = "installation-id";

/** Returns the installation of a folder whose writes are in a log; null for any other folder. */
export function readInstallationId(folder: string): string | null {
  const path = join(folder, INSTALLATION_FILE);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}

export const writeInstallationId = (folder: string, id: string): void =>
  writeFileSync(join(folder, INSTALLATION_FILE), id, { mode: 0o600 });

/** Exists while the folder's server has a replica of the home database. */
const REPLICA_FILE = "home-replica";

/** Notes whether the folder's home database is a replica, for commands beside the server. */
export function markReplica(folder: string, isReplica: boolean): void {
  const path = join(folder, REPLICA_FILE);
  if (isReplica) writeFileSync(path, "", { mode: 0o600 });
  else rmSync(path, { force: true });
}

/**
 * Checks that changes of the folder's home database beside its server are changes of the installation's.
 * @throws AppError `conflict`
 */
export function requireNoReplica(folder: string): void {
  if (!existsSync(join(folder, REPLICA_FILE))) return;
  throw new AppError(
    "conflict",
    `the server of ${folder} has a replica of the home database: run the command on the node that owns it (see quern cluster status), or use the API`,
  );
}

/** The home database's file, and the note beside it. */
export const homeFiles = (path: string): DocumentFiles => ({ path, notePath: `${path}.log-state` });

/** A document's file, and the note beside it. */
export const documentFiles = (path: string): DocumentFiles => ({ path, notePath: join(dirname(path), "log-state") });

/** Where files are kept that must not be used, by document. */
export const divergedFolderOf = (folder: string): string => join(folder, "diverged");

export interface FormerNode {
  readonly node: string;
  readonly place: FolderPlace;
}

/** Returns the last process of a folder; null when it is not known. */
export function readFormerNode(folder: string): FormerNode | null {
  try {
    return JSON.parse(readFileSync(join(folder, NODE_FILE), "utf8")) as FormerNode;
  } catch {
    return null;
  }
}

export const writeNode = (folder: string, node: FormerNode): void =>
  writeFileSync(join(folder, NODE_FILE), JSON.stringify(node), { mode: 0o600 });

/**
 * Checks that a folder can be used without a log: what is written there would be lost with the next start with the log.
 * @param leaves makes the folder one that no log knows
 * @throws AppError `conflict`
 */
export function requireNoLog(folder: string, { leaves = false } = {}): void {
  if (leaves) {
    for (const name of [NODE_FILE, INSTALLATION_FILE, REPLICA_FILE]) rmSync(join(folder, name), { force: true });
  } else if (readInstallationId(folder) !== null) {
    throw new AppError(
      "conflict",
      `the documents of ${folder} are in a replicated log: set QUERN_LOG_TO or QUERN_CLUSTER, or start once with --leave-log to go on without it`,
    );
  }
}

/**
 * Checks that no log knows a folder whose server is stopped: the next start would set changes of its files aside.
 * @throws AppError `conflict`
 */
export function requireServerOfLog(folder: string): void {
  if (readInstallationId(folder) === null) return;
  throw new AppError(
    "conflict",
    `the documents of ${folder} are in a replicated log: start the server first, or start it once with --leave-log to go on without the log`,
  );
}

/**
 * Checks that a file is not a document in a data folder whose writes are in a log, which would set a change of the file
 * aside.
 * @throws AppError `conflict`
 */
export function requireUnloggedFile(file: string): void {
  // <data folder>/docs/<uuid>/<file>
  const folder = dirname(dirname(dirname(resolve(file))));
  if (readInstallationId(folder) === null) return;
  throw new AppError(
    "conflict",
    `${file} is in a data folder with a replicated log, which would not have the change: use a copy of the file`,
  );
}
