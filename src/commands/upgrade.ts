import { statSync } from "node:fs";
import { formulaLimits, isServerRunning } from "../app.ts";
import { readInstallationId } from "../cluster/log-folder.ts";
import { unknownSettingVariables } from "../config.ts";
import { versionText } from "../hosts/files/version-text.ts";
import { AppError } from "../errors.ts";
import { formatBytes } from "../lib/text/formatting.ts";
import { systemClock } from "../lib/time/clock.ts";
import type { PlannedDocument, UnreadableDocument, UpgradePlan } from "../upgrade/plan-upgrade.ts";
import type { UpgradeProgress } from "../upgrade/run-upgrade.ts";
import type { Command, CommandInput } from "./command.ts";
import { lockForUpgrade, printResult, requireData } from "./with-context.ts";

/** The exit status of `upgrade --check` when the folder is of an older version. */
const EXIT_UPGRADE_NEEDED = 3;

/** The first home database version of Quern 0.2.0. */
const HOME_VERSION_0_2 = 3;

export const upgrade: Command = {
  name: "upgrade",
  about:
    "Upgrades a data folder of an older version without starting the server: the home database, after a backup, and all documents, whose former files are kept. Needs the server stopped.",
  options: [
    {
      name: "check",
      about:
        "Change nothing, also beside a running server: print the versions, the needed space and unknown settings. Exits with 0 when nothing has to be upgraded, 3 when something has, 1 when an upgrade would fail.",
    },
  ],
  async run(input) {
    requireData(input.config);
    return input.switches.has("check") ? check(input) : upgradeNow(input);
  },
};

async function check(input: CommandInput): Promise<number> {
  const { context, config } = input;
  const { planUpgrade } = await import("../upgrade/plan-upgrade.ts");
  const plan = planUpgrade(config.data);
  const unknownSettings = unknownSettingVariables(context.env);
  const isRunning = isServerRunning(config.data);
  printResult(input, { ...plan, unknownSettings, isServerRunning: isRunning }, [
    ...planLines(plan),
    ...unknownSettings.map((name) => `setting         ${name} does not exist in this version`),
    ...(isRunning ? [`server          running${plan.isUpgradeNeeded ? "; stop it before you upgrade" : ""}`] : []),
    plan.isUpgradeNeeded ? "An upgrade is needed." : "Nothing has to be upgraded.",
  ]);
  const { neededBytes, freeBytes, unreadable, isUpgradeNeeded } = plan;
  if (freeBytes !== null && freeBytes < neededBytes) throw new AppError("storage", "not enough free space to upgrade");
  if (unreadable.length > 0) throw new AppError("damaged", `${counted(unreadable.length, "document")} cannot be read`);
  return isUpgradeNeeded ? EXIT_UPGRADE_NEEDED : 0;
}

function planLines(plan: UpgradePlan): string[] {
  const { version, folder, home, documents, outdated, newer, unreadable, neededBytes, freeBytes } = plan;
  const homeLine =
    home.from === home.to
      ? `version ${home.to}, up to date`
      : `version ${home.from} to ${home.to}, ${formatBytes(home.sizeBytes)}, copied to backups/ first`;
  const free = freeBytes === null ? "" : `, ${formatBytes(freeBytes)} free`;
  return [
    `quern ${version}, data folder ${folder}`,
    `home database   ${homeLine}`,
    `documents       ${documents}, ${outdated.length} to upgrade`,
    ...outdated.map((document) => `  ${documentLine(document)}`),
    ...newer.map((document) => `  ${titleOf(document)}: of a newer version; opened unchanged`),
    ...unreadable.map(problemLine),
    `space           ${formatBytes(neededBytes)} needed${free}`,
    ...(home.from < HOME_VERSION_0_2
      ? ["renamed         log events and metrics; see Upgrading in docs/operations.md"]
      : []),
  ];
}

async function upgradeNow(input: CommandInput): Promise<number> {
  const { context, config, switches } = input;
  const { upgradeDataFolder } = await import("../upgrade/run-upgrade.ts");
  requireOwner(config.data);
  using _lock = lockForUpgrade(config, `a server uses ${config.data}: stop it first`);
  if (readInstallationId(config.data) !== null) {
    throw new AppError(
      "conflict",
      `the documents of ${config.data} are in a replicated log: the server upgrades them when it starts`,
    );
  }
  const report = await upgradeDataFolder({
    folder: config.data,
    clock: systemClock,
    formulas: formulaLimits(config),
    onProgress: switches.has("json") ? () => {} : (step) => context.out(progressLine(step)),
  });
  const { home, documents, failed } = report;
  const isUpToDate = home === null && documents.length === 0 && failed.length === 0;
  printResult(input, report, [
    ...failed.map(problemLine),
    isUpToDate ? "Nothing has to be upgraded." : "The upgrade is complete.",
  ]);
  if (failed.length > 0) {
    throw new AppError(
      "damaged",
      `${counted(failed.length, "document")} could not be upgraded; the files are unchanged`,
    );
  }
  return 0;
}

/** Files that root creates in the folder of a service's user are unusable for that service. */
function requireOwner(folder: string): void {
  const { uid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  throw new AppError(
    "invalid",
    `the data folder ${folder} belongs to the user with the id ${uid}: run the upgrade as that user, for example with runuser -u quern -- quern upgrade`,
  );
}

const progressLine = (progress: UpgradeProgress): string =>
  progress.step === "home"
    ? `home database: version ${progress.upgrade.from} to ${progress.upgrade.to}, backup ${progress.upgrade.backup}`
    : documentLine(progress.document);

const documentLine = (document: PlannedDocument): string =>
  `${titleOf(document)}: version ${versionText(document.from)} to ${versionText(document.to)}, ${formatBytes(document.sizeBytes)}`;

const problemLine = (document: UnreadableDocument): string => `  ${titleOf(document)}: ${document.problem}`;

const titleOf = ({ uuid, name }: { uuid: string; name: string | null }): string =>
  name === null ? uuid : `${uuid} ${JSON.stringify(name)}`;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
