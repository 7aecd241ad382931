import { AppError } from "../errors.ts";
import { type HomeVersions, inspectHome, readDocumentNames, spaceForHome } from "../home/home-upgrade.ts";
import { type DocumentFile, inspectFile, listDocumentFolders } from "../hosts/files/upgrade-file.ts";
import { must } from "../lib/assert.ts";
import { diskSpace } from "../lib/observability/process-metrics.ts";
import { VERSION } from "../lib/build.ts";

/** A document that an upgrade concerns, with its name; null when the home database does not list it. */
export type PlannedDocument = DocumentFile & { readonly name: string | null };

export interface UnreadableDocument {
  readonly uuid: string;
  readonly name: string | null;
  readonly problem: string;
}

/** The changes that this version makes to a data folder. */
export interface UpgradePlan {
  /** The version of this program. */
  readonly version: string;
  readonly folder: string;
  readonly home: HomeVersions;
  /** The number of documents with a file, including the trash. */
  readonly documents: number;
  readonly outdated: readonly PlannedDocument[];
  /** Documents of a newer version, which are opened as they are. */
  readonly newer: readonly PlannedDocument[];
  readonly unreadable: readonly UnreadableDocument[];
  /** Free space that upgrading everything needs. */
  readonly neededBytes: number;
  /** Null where unknown. */
  readonly freeBytes: number | null;
  readonly isUpgradeNeeded: boolean;
}

/**
 * Inspects a data folder with a home database without changing anything, also while a server uses it.
 * @throws AppError `unavailable` when a newer version of the program wrote the home database
 */
export function planUpgrade(folder: string): UpgradePlan {
  const home = must(inspectHome(folder), "home database");
  const names = readDocumentNames(folder);
  const uuids = listDocumentFolders(folder);
  const files: PlannedDocument[] = [];
  const unreadable: UnreadableDocument[] = [];
  for (const uuid of uuids) {
    const name = names.get(uuid) ?? null;
    try {
      files.push({ ...inspectFile(folder, uuid), name });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ uuid, name, problem: error.message });
    }
  }
  const outdated = files.filter(({ age }) => age === "outdated");
  const isHomeOutdated = home.from < home.to;
  return {
    version: VERSION,
    folder,
    home,
    documents: uuids.length,
    outdated,
    newer: files.filter(({ age }) => age === "newer"),
    unreadable,
    neededBytes: (isHomeOutdated ? spaceForHome(home) : 0) + spaceForDocuments(outdated),
    freeBytes: diskSpace(folder)?.freeBytes ?? null,
    isUpgradeNeeded: isHomeOutdated || outdated.length > 0,
  };
}

/** Former files are kept, so each document exists twice; rewriting the largest one needs its size once more. */
function spaceForDocuments(outdated: readonly DocumentFile[]): number {
  const sizes = outdated.map(({ sizeBytes }) => sizeBytes);
  return sizes.reduce((sum, size) => sum + size, 0) + Math.max(0, ...sizes);
}
