/** What a server does before its home database is opened: installation, former process, ownership of home. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { newUuid, randomHex } from "../lib/ids.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { OwnedDocuments } from "./log/owned-documents.ts";
import { homeDiverged } from "./log/refusals.ts";
import { removePositionNote } from "./log/position-note.ts";
import { documentFiles, homeFiles, readFormerNode, readInstallationId } from "./log-folder.ts";
import { HOME } from "./local-documents.ts";
import { connect } from "./postgres/connect.ts";
import { LogDatabase } from "./postgres/log-database.ts";
import { parseLogUrl } from "./postgres/log-url.ts";
import { removePredecessor } from "./postgres/statements/nodes.ts";
import { findOwner, readDocumentState } from "./postgres/statements/ownership.ts";
import { readInstallation } from "./postgres/tables.ts";
import { type FolderPlace, mayReleasePredecessor } from "./protocol/acquisition.ts";
import { type ContentCount, type DatabaseIdentity, LEASE_MS } from "./protocol/log-types.ts";

interface ChosenInstallation {
  readonly id: string;
  /** True when the id was made here: another server that starts may be faster. */
  readonly isNew: boolean;
  /** The installation that the folder belonged to until now, with `adopts`; null if it is the same one, or none. */
  readonly former: string | null;
}

const RETRY_MS = 200;
/** How long a start waits for the lease of a server that crashed. */
const TAKE_OVER_MS = LEASE_MS + 2000;

export interface InstallationChoice {
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
  readonly homeFile: string;
  /** Returns the installation of the folder's home database; null if it has none. */
  readonly installationOfHome: () => string | null;
  readonly adopts: boolean;
}

/** Decides which installation this is. @throws AppError `conflict`, `log.other_installation` */
async function chooseInstallation(options: InstallationChoice): Promise<ChosenInstallation> {
  const { url, folder, homeFile, adopts, installationOfHome } = options;
  await using connection = await connect(parseLogUrl(url));
  const found = await readInstallation(connection);
  const local = readInstallationId(folder);
  if (found === null) {
    if (!adopts && hasDocuments(folder)) {
      throw new AppError("conflict", `${folder} has documents and the log is empty: start once with --adopt`);
    }
    return { id: local ?? newUuid(), isNew: local === null, former: null };
  }
  // A new folder joins the installation of the log.
  const joins = local === null && !existsSync(homeFile);
  if (local !== found.id && !joins && !adopts) throw otherInstallation(folder);
  const inHome = adopts ? null : installationOfHome();
  if (inHome !== null && inHome !== found.id) throw otherInstallation(homeFile);
  return { id: found.id, isNew: false, former: local === found.id ? null : local };
}

const otherInstallation = (path: string): AppError =>
  new AppError(
    "log.other_installation",
    `The log belongs to another installation than ${path}; use another database or folder`,
  );

/** @throws AppError `log.other_installation` when the home database that the log has is that of another installation */
export function requireSameInstallation(inHome: string | null, inLog: string): void {
  if (inHome === null || inHome === inLog) return;
  throw new AppError(
    "log.other_installation",
    `The log is that of installation ${inLog}, and its home database that of ${inHome}; restore the database of one of them`,
  );
}

/**
 * Opens the database of the installation of a folder. Of the nodes that start with an empty one, the first names it.
 * @throws AppError with one sentence; then nothing has changed
 */
export async function openInstallation(
  options: InstallationChoice & { readonly timers: Timers },
  onIdentity: (identity: DatabaseIdentity) => void,
): Promise<LogDatabase> {
  const { url, timers } = options;
  for (let isRepeated = false; ; isRepeated = true) {
    const { id, isNew, former } = await chooseInstallation(options);
    try {
      const installation = { id, historyId: randomHex(8) };
      const database = await LogDatabase.open(url, { installation, timers, onIdentity });
      // They are about another log, which has not lost anything.
      if (former !== null) removeNotes(options);
      return database;
    } catch (error) {
      const wasFaster = error instanceof AppError && error.reason === "log.other_installation";
      if (!wasFaster || !isNew || isRepeated) throw error;
    }
  }
}

function removeNotes({ folder, homeFile }: InstallationChoice): void {
  removePositionNote(homeFiles(homeFile).notePath);
  const docs = join(folder, "docs");
  const names = existsSync(docs) ? readdirSync(docs) : [];
  for (const name of names) removePositionNote(documentFiles(join(docs, name, "document")).notePath);
}

function hasDocuments(folder: string): boolean {
  const docs = join(folder, "docs");
  return existsSync(docs) && readdirSync(docs).length > 0;
}

/** True when the log has a document's content. */
export async function hasContent(database: LogDatabase, doc: string): Promise<boolean> {
  const state = await readDocumentState(await database.control(), doc);
  return state !== null && state.baseSeq !== null;
}

/** Waits for the lease of a server that crashed. @throws AppError when another server writes to this log */
export async function takeHome(owned: OwnedDocuments, database: LogDatabase): Promise<void> {
  const end = performance.now() + TAKE_OVER_MS;
  for (;;) {
    try {
      await owned.own(HOME);
      return;
    } catch (error) {
      if (error instanceof AppError && error.reason === "log.diverged") throw homeDiverged();
      // The error decides, not a look-up: the lease may end between the two.
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      if (performance.now() > end) throw await anotherServer(database);
      await Bun.sleep(RETRY_MS);
    }
  }
}

/**
 * Puts home into a log without content.
 * @throws AppError when another server that started at the same moment was faster
 */
export async function publishHome(owned: OwnedDocuments, database: LogDatabase, count: ContentCount): Promise<void> {
  try {
    await owned.publish(HOME, count);
  } catch (error) {
    const isElsewhere = error instanceof AppError && error.reason === "document.elsewhere";
    throw isElsewhere ? await anotherServer(database) : error;
  }
}

async function anotherServer(database: LogDatabase): Promise<AppError> {
  const owner = await findOwner(await database.control(), HOME);
  return new AppError("conflict", `Another server writes to this log (node ${owner?.node}); stop it first`);
}

/** Identifies the lock of a folder: a copy of the folder has another one. */
export const lockFileOf = (folder: string): string => {
  const { dev, ino } = statSync(join(folder, "lock"));
  return `${dev}:${ino}`;
};

/** Ends the lease of the process that used the folder before, if it is dead. */
export async function releasePredecessor(database: LogDatabase, folder: string, place: FolderPlace): Promise<void> {
  const former = readFormerNode(folder);
  if (!former || !mayReleasePredecessor(former.place, place)) return;
  await removePredecessor(await database.control(), { id: former.node, boot: place.bootId });
}
