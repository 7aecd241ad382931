/** The history of a document: restores states, and shows when newer ones exist. */
import { announce } from "../../../base/client/announce.ts";
import { api } from "../../../base/client/api.ts";
import { confirmDialog } from "../../../base/client/dialog.ts";
import { replaceChildren, find, h, findOptional } from "../../../base/client/dom.ts";
import { subscribeToEvents } from "../../../base/client/events.ts";
import { showError } from "../../../base/client/problem.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { t } from "../../../base/client/texts.ts";
import { formatTimestamp } from "../../../base/client/times.ts";
import { showToast } from "../../../base/client/toast.ts";
import { restoreCells } from "./restore-cells.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";

initDocumentSidebar();

interface Applied {
  readonly isModification: boolean;
}

const historyList = () => find("#history");

function restore(button: HTMLButtonElement): void {
  const { state = "" } = button.dataset;
  const { document: doc = "", back } = historyList().dataset;
  void confirmDialog({
    title: t("history.restore.title", { n: state }),
    text: t("history.restore.text"),
    action: t("history.restore"),
    async submit(signal) {
      const { isModification } = await api<Applied>(`/api/docs/${doc}/states/${state}/restore`, {
        method: "POST",
        body: {},
        signal,
      });
      if (back !== undefined) return location.assign(back);
      await refreshPart("history");
      replaceChildren(find("#newer"));
      showToast(isModification ? t("history.restored", { n: state }) : t("history.restore.unchanged"));
    },
  });
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-do]") : null;
  if (button?.dataset["do"] === "restore") restore(button);
  else if (button?.dataset["do"]?.startsWith("restore-")) void restoreCells(button);
});

/** Options contain only text: times get the reader's time zone here. */
function renderOptionTimes(): void {
  for (const option of document.querySelectorAll<HTMLOptionElement>("option[data-at]")) {
    const { at: time = "", author = "" } = option.dataset;
    const at = formatTimestamp(new Date(time), "time");
    const n = option.value;
    option.textContent = author === "" ? t("history.option", { n, at }) : t("history.option.by", { n, at, author });
  }
}

renderOptionTimes();

/** Shows that newer states exist, without moving the list below the reader. */
function watchNewStates(doc: string): void {
  const notice = find("#newer");
  const show = () => {
    const button = h(
      "button",
      { type: "button", class: "plain small", onclick: () => void reload() },
      t("history.newer.show"),
    );
    replaceChildren(notice, h("p", { class: "note" }, t("history.newer"), " ", button));
    announce(t("history.newer"));
  };
  const reload = async () => {
    replaceChildren(notice);
    await refreshPart("history").catch((error: unknown) => showError(notice, error, { retry: () => void reload() }));
  };
  const check = (action: number) => {
    if (!findOptional(`#state-${action}`)) show();
  };
  subscribeToEvents(doc, {
    ready: ({ action }) => check(action),
    change: ({ action, actions }) => actions > 0 && check(action),
    reset: show,
  });
}

const { live, document: doc } = historyList().dataset;
if (live !== undefined && doc !== undefined) watchNewStates(doc);
