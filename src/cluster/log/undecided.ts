import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { syncToDisk } from "../../lib/sync-to-disk.ts";

/** A document whose log went backwards: nothing opens it until an administrator has decided what to keep. */
export interface UndecidedDocument {
  /** As `DivergenceReason`. */
  readonly reason: string;
  /** The kept file; null when it was not moved, because of a crash. */
  readonly keptAs: string | null;
}

const UNDECIDED = z.object({ reason: z.string(), keptAs: z.string().nullable() });

/** Beside the kept files of the document. */
const noteOf = (divergedFolder: string, doc: string): string => join(divergedFolder, doc, "undecided.json");

/**
 * Notes that a decision is needed, and calls `move`, which sets the file aside. A file that was kept before stays the one
 * to decide about.
 * @returns the kept file
 */
export function keepUndecided(
  divergedFolder: string,
  doc: string,
  reason: string,
  move: () => string | null,
): string | null {
  const former = readUndecided(divergedFolder, doc)?.keptAs ?? null;
  markUndecided(divergedFolder, doc, { reason, keptAs: former });
  const keptAs = former ?? move();
  markUndecided(divergedFolder, doc, { reason, keptAs });
  return keptAs;
}

/** Survives a crash of the machine. */
function markUndecided(divergedFolder: string, doc: string, undecided: UndecidedDocument): void {
  const path = noteOf(divergedFolder, doc);
  mkdirSync(join(divergedFolder, doc), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, JSON.stringify(undecided), { mode: 0o600 });
  syncToDisk(`${path}.new`);
  renameSync(`${path}.new`, path);
  for (const folder of [join(divergedFolder, doc), divergedFolder]) syncToDisk(folder);
}

export const isUndecided = (divergedFolder: string, doc: string): boolean => existsSync(noteOf(divergedFolder, doc));

/** Returns the note of a document; null when no decision is needed. */
export function readUndecided(divergedFolder: string, doc: string): UndecidedDocument | null {
  const path = noteOf(divergedFolder, doc);
  return existsSync(path) ? UNDECIDED.parse(JSON.parse(readFileSync(path, "utf8"))) : null;
}

/** The kept files stay. Idempotent. */
export const markDecided = (divergedFolder: string, doc: string): void =>
  rmSync(noteOf(divergedFolder, doc), { force: true });

/** Lists the documents that need a decision. */
export const listUndecided = (divergedFolder: string): string[] =>
  existsSync(divergedFolder) ? readdirSync(divergedFolder).filter((doc) => isUndecided(divergedFolder, doc)) : [];
