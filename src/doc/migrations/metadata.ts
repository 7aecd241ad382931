import { SCHEMA_VERSION } from "../metadata-tables.ts";
import {
  addDisplayColumns,
  dropForeignRules,
  referToVisibleColumns,
  renameDerivedType,
  storeAttachmentsAsJson,
  turnImagesIntoAttachments,
} from "./metadata-columns.ts";
import { type AddedMetadata, integer, type MetadataRows } from "./metadata-rows.ts";
import {
  addAccessRows,
  enableTriggers,
  moveCommentTimes,
  moveFiltersToFields,
  moveFiltersToTable,
  pinFilters,
  setLocale,
  setTimezone,
  takeMemosFromFormulas,
} from "./metadata-settings.ts";
import { adoptFirstSummaries, renameSummaries } from "./metadata-summaries.ts";
import {
  addPages,
  addPrimaryViews,
  addRawSections,
  addRawSectionsOfSummaries,
  addRecordCards,
  addTabItems,
  orderTabs,
} from "./metadata-views.ts";

/** A migration of the metadata to a version, whose tables and columns exist already. */
interface MetadataStep {
  readonly to: number;
  readonly run: (metadata: MetadataRows, added: AddedMetadata) => void;
}

/** Unlisted versions only added tables and columns. */
const STEPS: readonly MetadataStep[] = [
  { to: 1, run: addTabItems },
  { to: 2, run: addPrimaryViews },
  { to: 3, run: renameDerivedType },
  { to: 4, run: orderTabs },
  { to: 7, run: adoptFirstSummaries },
  { to: 10, run: addDisplayColumns },
  { to: 14, run: addAccessRows },
  { to: 15, run: moveFiltersToFields },
  { to: 16, run: referToVisibleColumns },
  { to: 17, run: turnImagesIntoAttachments },
  { to: 18, run: setTimezone },
  { to: 20, run: addPages },
  { to: 23, run: setLocale },
  { to: 25, run: moveFiltersToTable },
  { to: 26, run: addRawSections },
  { to: 28, run: storeAttachmentsAsJson },
  { to: 29, run: dropForeignRules },
  { to: 30, run: addRawSectionsOfSummaries },
  { to: 31, run: renameSummaries },
  { to: 34, run: pinFilters },
  { to: 35, run: takeMemosFromFormulas },
  { to: 39, run: enableTriggers },
  { to: 40, run: addRecordCards },
  { to: 45, run: moveCommentTimes },
];

/** Returns the schema version; 0 where it is missing or not in exactly one row. */
export function schemaVersion(metadata: MetadataRows): number {
  const [info, ...others] = metadata.all("_grist_DocInfo");
  return info && others.length === 0 ? integer(info["schemaVersion"]) : 0;
}

/**
 * Runs the pending steps. The tables and columns of all versions are created first, so that rows added by a step are
 * complete. A file of an unknown newer version is left unchanged. Call in a transaction, after the storage migration.
 */
export function migrateMetadata(metadata: MetadataRows): void {
  const found = schemaVersion(metadata);
  if (found >= SCHEMA_VERSION) return;
  const added = metadata.addMissing();
  keepOneInfoRow(metadata);
  for (const step of STEPS) if (step.to > found) step.run(metadata, added);
  for (const info of metadata.all("_grist_DocInfo")) {
    metadata.update("_grist_DocInfo", info.id, { schemaVersion: SCHEMA_VERSION });
  }
}

/** Keeps the one row that describes the document. */
function keepOneInfoRow(metadata: MetadataRows): void {
  const [first, ...others] = metadata.all("_grist_DocInfo");
  if (!first) metadata.add("_grist_DocInfo", {});
  metadata.remove(
    "_grist_DocInfo",
    others.map((info) => info.id),
  );
}
