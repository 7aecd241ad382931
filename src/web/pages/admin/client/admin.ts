/** Administration: polls a running backup. */
import { errorContent } from "../../../base/client/api.ts";
import { findOptional } from "../../../base/client/dom.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";

const POLL_INTERVAL_MS = 1500;

/** Refreshes the part until the backup has finished. */
function pollBackupStatus(): void {
  if (!findOptional("#backups[data-running]")) return;
  setTimeout(() => void refreshBackupStatus(), POLL_INTERVAL_MS);
}

async function refreshBackupStatus(): Promise<void> {
  try {
    await refreshPart("backups");
    if (!findOptional("#backups[data-running]")) showToast(t("admin.backups.finished"));
    pollBackupStatus();
  } catch (error) {
    showToast(errorContent(error), {
      problem: true,
      action: { label: t("base.retry"), run: () => void refreshBackupStatus() },
    });
  }
}

pollBackupStatus();
// On a phone the tabs scroll horizontally, and the current one may be out of view.
findOptional(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
