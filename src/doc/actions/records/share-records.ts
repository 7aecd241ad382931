import { updateMetadata, metadataIds } from "../metadata.ts";
import { IN_IDS } from "../row-storage.ts";
import type { Change } from "../change.ts";
import { removeRecords } from "./records.ts";

const SHARES = "_grist_Shares";

/** Removes shares of published forms, and takes them from their pages: a later share may have the same id. */
export function removeShares(change: Change, ids: readonly number[]): void {
  const pages = metadataIds(change, `select id from _grist_Pages where shareRef ${IN_IDS}`, JSON.stringify(ids));
  removeRecords(change, SHARES, ids);
  updateMetadata(change, "_grist_Pages", pages, { shareRef: 0 });
}
