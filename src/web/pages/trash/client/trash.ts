/** The trash: restores or permanently deletes documents and workspaces. */
import { api, errorContent, SITE_PREFIX } from "../../../base/client/api.ts";
import { confirmDialog } from "../../../base/client/dialog.ts";
import { nameElement } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { refreshWithPlaces } from "../../../base/client/refresh-places.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";

const refresh = () => refreshWithPlaces(["trash"]);

/** Returns the API path and the name of an entry. */
function readTrashItem(button: Element): { path: string; page: string; name: string } {
  const line = button.closest<HTMLElement>("[data-doc], [data-workspace]");
  const { doc, workspace, name = "" } = line?.dataset ?? {};
  const path = doc === undefined ? `/api/workspaces/${workspace ?? ""}` : `/api/docs/${encodeURIComponent(doc)}`;
  const page = doc === undefined ? `/workspaces/${workspace ?? ""}` : `/docs/${encodeURIComponent(doc)}`;
  return { path, page, name };
}

async function restore(button: HTMLButtonElement): Promise<void> {
  const { path, page, name } = readTrashItem(button);
  if (isBusy(button)) return;
  setBusy(button, true);
  try {
    await api(`${path}/unremove`, { method: "POST", body: {} });
    await refresh();
    showToast(t.rich("trash.restored", { name: nameElement(name) }), {
      action: { label: t("trash.open"), run: () => location.assign(`${SITE_PREFIX}${page}`) },
    });
  } catch (error) {
    setBusy(button, false);
    showToast(errorContent(error), {
      problem: true,
      action: { label: t("base.retry"), run: () => void restore(button) },
    });
  }
}

function deletePermanently(button: HTMLButtonElement): void {
  const { path, name } = readTrashItem(button);
  void confirmDialog({
    title: t.rich("trash.confirm.title", { name: nameElement(name) }),
    text: t("trash.confirm.text"),
    action: t.rich("trash.confirm.action", { name: nameElement(name) }),
    isDangerous: true,
    async submit(signal) {
      await api(path, { method: "DELETE", signal });
      await refresh();
    },
  });
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-do]") : null;
  if (button?.dataset["do"] === "restore") void restore(button);
  if (button?.dataset["do"] === "delete") deletePermanently(button);
});
