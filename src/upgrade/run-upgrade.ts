import { AppError } from "../errors.ts";
import { type HomeUpgrade, requireFreeSpace } from "../home/home-upgrade.ts";
import { openHome } from "../home/home.ts";
import type { RuntimeOptions } from "../hosts/document-runtime.ts";
import { upgradeFile } from "../hosts/files/upgrade-file.ts";
import type { Clock } from "../lib/time/clock.ts";
import { yieldToEventLoop } from "../lib/time/timers.ts";
import { type PlannedDocument, planUpgrade, type UnreadableDocument } from "./plan-upgrade.ts";

export interface UpgradeOptions {
  /** The data folder, which has a home database and which the caller has locked. */
  readonly folder: string;
  readonly clock: Clock;
  /** Limits of the formulas that an upgrade recalculates. */
  readonly formulas: RuntimeOptions["formulas"];
  /** Called after each step. */
  readonly onProgress?: (step: UpgradeProgress) => void;
}

export type UpgradeProgress =
  | { readonly step: "home"; readonly upgrade: HomeUpgrade }
  | { readonly step: "document"; readonly document: PlannedDocument };

/** The result of an upgrade. */
export interface UpgradeReport {
  /** Null when the home database was up to date. */
  readonly home: HomeUpgrade | null;
  readonly documents: readonly PlannedDocument[];
  /** Documents that could not be upgraded; their files are unchanged. */
  readonly failed: readonly UnreadableDocument[];
}

/**
 * Upgrades the home database and every document of a data folder without a server. Interrupted, it continues when it is
 * run again.
 * @throws AppError `storage` when the disk lacks space, before anything is changed; `unavailable` for a newer version
 */
export async function upgradeDataFolder({
  folder,
  clock,
  formulas,
  onProgress,
}: UpgradeOptions): Promise<UpgradeReport> {
  const plan = planUpgrade(folder);
  requireFreeSpace(folder, plan.neededBytes);
  const home = upgradeHome(folder, clock);
  if (home) onProgress?.({ step: "home", upgrade: home });
  // Between the steps, so that reports of progress are written.
  await yieldToEventLoop();
  const documents: PlannedDocument[] = [];
  const failed: UnreadableDocument[] = [...plan.unreadable];
  for (const document of plan.outdated) {
    try {
      upgradeFile(folder, document.uuid, formulas);
      documents.push(document);
      onProgress?.({ step: "document", document });
      await yieldToEventLoop();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed.push({ uuid: document.uuid, name: document.name, problem: error.message });
    }
  }
  return { home, documents, failed };
}

/** Opening the home database migrates it. Returns null when it was up to date. */
function upgradeHome(folder: string, clock: Clock): HomeUpgrade | null {
  let completed: HomeUpgrade | null = null;
  openHome(folder, {
    clock,
    onUpgrade(step, upgrade) {
      if (step === "completed") completed = upgrade;
    },
  }).close();
  return completed;
}
