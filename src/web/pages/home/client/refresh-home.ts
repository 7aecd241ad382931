/** Refreshes the lists of the home page and of a workspace, and the sidebar beside them. */
import { ApiError, errorContent, isAborted, SITE_PREFIX } from "../../../base/client/api.ts";
import { refreshWithPlaces } from "../../../base/client/refresh-places.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";

const listeners: (() => void)[] = [];

/** Calls a function after each refresh. */
export function onRefresh(listener: () => void): void {
  listeners.push(listener);
}

/**
 * Refreshes the list and the sidebar from the server.
 * @param further ids of other parts
 */
export async function refresh(further: readonly string[] = []): Promise<void> {
  try {
    await refreshWithPlaces(["home", ...further]);
  } catch (error) {
    if (!isGone(error)) throw error;
    location.assign(`${SITE_PREFIX}/`);
    return;
  }
  for (const listener of listeners) listener();
}

/** Returns true on the page of a workspace that the user has just removed, or moved their only document out of. */
const isGone = (error: unknown): boolean =>
  error instanceof ApiError && error.kind === "refused" && [403, 404].includes(error.status);

/** Runs an action that has no place of its own for errors; shows them in a toast. */
export async function runWithErrorToast(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isAborted(error)) return;
    showToast(errorContent(error), {
      problem: true,
      action: { label: t("base.retry"), run: () => void runWithErrorToast(work) },
    });
  }
}
