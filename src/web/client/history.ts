/** The history of a document: brings back a state, and says when there are newer ones. */
import { api } from "./base/api.ts";
import { confirmDialog } from "./base/dialog.ts";
import { fill, find, h, maybe } from "./base/dom.ts";
import { followDocument } from "./base/events.ts";
import { showProblem } from "./base/problem.ts";
import { refreshPart } from "./base/refresh.ts";
import { toast } from "./base/toast.ts";

interface Applied {
  readonly isModification: boolean;
}

const part = () => find("#history");

function restore(button: HTMLButtonElement): void {
  const { state = "" } = button.dataset;
  const { document: doc = "", back } = part().dataset;
  void confirmDialog({
    title: `Restore state ${state}?`,
    text: "Everything that was changed since is undone, by whomever it was done. That makes a new state, so you can come back from it.",
    action: "Restore",
    async submit(signal) {
      const { isModification } = await api<Applied>(`/api/docs/${doc}/states/${state}/restore`, {
        method: "POST",
        body: {},
        signal,
      });
      if (back !== undefined) return location.assign(back);
      await refreshPart("history");
      fill(find("#newer"));
      toast(isModification ? `The document is as it was in state ${state}.` : "Nothing had changed since.");
    },
  });
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-do=restore]") : null;
  if (button) restore(button);
});

/** Says that there are newer states, without moving the list below the reader. */
function follow(doc: string): void {
  const place = find("#newer");
  const show = () => {
    const button = h("button", { type: "button", class: "plain small", onclick: () => void reload() }, "Show them");
    fill(place, h("p", { class: "note", role: "status" }, "There are newer states. ", button));
  };
  const reload = async () => {
    fill(place);
    await refreshPart("history").catch((error: unknown) => showProblem(place, error, { retry: () => void reload() }));
  };
  const look = (action: number) => {
    if (!maybe(`#state-${action}`)) show();
  };
  followDocument(doc, {
    ready: ({ action }) => look(action),
    change: ({ action, actions }) => actions > 0 && look(action),
    reset: show,
  });
}

const { live, document: doc } = part().dataset;
if (live !== undefined && doc !== undefined) follow(doc);
