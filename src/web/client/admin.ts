/** Administration: follows a backup that is being made. */
import { sentenceOf } from "./base/api.ts";
import { maybe } from "./base/dom.ts";
import { refreshPart } from "./base/refresh.ts";
import { toast } from "./base/toast.ts";

const EVERY_MS = 1500;

/** Asks for the part again until the backup is made. */
function follow(): void {
  if (!maybe("#backups[data-running]")) return;
  setTimeout(() => void look(), EVERY_MS);
}

async function look(): Promise<void> {
  try {
    await refreshPart("backups");
    if (!maybe("#backups[data-running]")) toast("The backup has ended.");
    follow();
  } catch (error) {
    toast(sentenceOf(error), { problem: true, action: { label: "Try again", run: () => void look() } });
  }
}

follow();
// On a phone the tabs scroll sideways, and the open one may be out of sight.
maybe(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
