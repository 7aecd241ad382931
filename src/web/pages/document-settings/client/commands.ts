/** Commands that concern the whole document. Each asks first, and names the document. */
import { api } from "../../../base/client/api.ts";
import { confirmDialog, formDialog } from "../../../base/client/dialog.ts";
import { find, h, nameElement, newId } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { documentAddress } from "./saving.ts";
import { showUsage } from "./usage.ts";

const documentName = () => nameElement(find("#settings").dataset["name"] ?? "");

export const moveToTrash = () =>
  confirmDialog({
    title: t.rich("docSettings.remove.title", { name: documentName() }),
    text: t("docSettings.remove.text"),
    action: t.rich("docSettings.remove.action", { name: documentName() }),
    isDangerous: true,
    async submit(signal) {
      await api(`${documentAddress()}/remove`, { method: "POST", body: {}, signal });
      location.assign(find("#settings").dataset["home"] ?? "/");
    },
  });

export const reloadDocument = () =>
  confirmDialog({
    title: t.rich("docSettings.reload.title", { name: documentName() }),
    text: t("docSettings.reload.text"),
    action: t("docSettings.reload"),
    async submit(signal) {
      await api(`${documentAddress()}/force-reload`, { method: "POST", body: {}, signal });
      showToast(t("docSettings.reload.done"));
      void showUsage();
    },
  });

export function deleteHistory(): Promise<unknown> {
  const place = find("#kept-states");
  const chosen = place.dataset["states"] ?? "";
  const keep = h("input", { type: "number", name: "keep", min: 1, max: 1_000_000, step: 1, required: true });
  keep.value = chosen === "" ? "100" : chosen;
  const hint = newId("always");
  const always = h("input", {
    type: "checkbox",
    name: "always",
    checked: chosen !== "",
    "aria-describedby": hint,
  });
  return formDialog({
    title: t.rich("docSettings.history.delete.title", { name: documentName() }),
    content: [
      h("p", {}, t("docSettings.history.delete.text")),
      h("label", {}, t("docSettings.history.keep"), keep),
      h("label", { class: "choice" }, always, t("docSettings.history.always")),
      h("p", { class: "hint", id: hint }, t("docSettings.history.alwaysHint")),
    ],
    action: t("docSettings.history.delete.action"),
    isDangerous: true,
    async submit(form, signal) {
      const count = Number(form.get("keep"));
      const isKept = form.has("always");
      const states = `${documentAddress()}/states`;
      if (isKept || chosen !== "") {
        await api(`${states}/retention`, { method: "PUT", body: { states: isKept ? count : null }, signal });
      }
      if (!isKept) await api(`${states}/remove`, { method: "POST", body: { keep: count }, signal });
      place.dataset["states"] = isKept ? String(count) : "";
      place.textContent = isKept ? t("docSettings.history.kept", { count }) : "";
      place.hidden = !isKept;
      showToast(t("docSettings.history.deleted"));
      void showUsage();
    },
  });
}

export const transferAttachments = () =>
  confirmDialog({
    title: t.rich("docSettings.store.transfer.title", { name: documentName() }),
    text: t("docSettings.store.transfer.text"),
    action: t("docSettings.store.transfer.action"),
    async submit(signal) {
      await api(`${documentAddress()}/attachments/transferAll`, { method: "POST", body: {}, signal });
      showToast(t("docSettings.store.transferring"));
    },
  });
