import { wholeNumber } from "../lib/setting-values.ts";
import { setting } from "./setting.ts";

/** Where and when backups are made, and how much of the past is kept. */
export const BACKUP_SETTINGS = {
  snapshotsKeep: setting({
    flag: "snapshots-keep",
    env: "QUERN_SNAPSHOTS_KEEP",
    takes: "N",
    fallback: 10,
    about:
      "Snapshots kept of each document: of what it was at each backup since which it changed, and before it was replaced.",
    parse: (text) => wholeNumber(text, 0, 10_000),
  }),
} as const;
