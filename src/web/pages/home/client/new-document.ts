/** The dialog for a new document: its name, and what it starts from. */
import { api } from "../../../base/client/api.ts";
import { formDialog } from "../../../base/client/dialog.ts";
import { find, h, icon, nameElement, newId } from "../../../base/client/dom.ts";
import { formText, inputField } from "../../../base/client/form-field.ts";
import { t } from "../../../base/client/texts.ts";
import { isTemplateName, TEMPLATE_NAMES, TEMPLATE_TEXTS } from "../templates.ts";
import { documentPagePath } from "./actions.ts";
import { pickFiles } from "./imports.ts";
import type { WorkspaceSectionData } from "./page-data.ts";

/** Creates a document, empty or from a template, and opens it. */
export function newDocument(workspace: WorkspaceSectionData, template?: string): Promise<boolean> {
  const emptyName = t("home.newDocument.name");
  const nameOf = (start: string) => (isTemplateName(start) ? t(TEMPLATE_TEXTS[start].title) : emptyName);
  const chosen = template !== undefined && isTemplateName(template) ? template : "";
  const name = inputField(t("home.name"), { name: "name", required: true, maxlength: 500, value: nameOf(chosen) });
  const input = find<HTMLInputElement>("input", name);
  let suggested = input.value;
  const start = startField(chosen, (value) => {
    // Keeps a name that the user entered.
    if (input.value !== suggested) return;
    suggested = nameOf(value);
    input.value = suggested;
  });
  const importButton = h(
    "button",
    {
      type: "button",
      class: "plain small",
      onclick: () => {
        importButton.closest("dialog")?.close();
        pickFiles(workspace.id);
      },
    },
    icon("upload"),
    t("home.welcome.import"),
  );
  return formDialog({
    title: t.rich("home.newDocument.title", { workspace: nameElement(workspace.name) }),
    content: [name, start, h("p", {}, importButton)],
    action: t("home.create"),
    async submit(form, signal) {
      const from = formText(form, "start");
      const body = { name: formText(form, "name"), ...(isTemplateName(from) && { template: from }) };
      const path = `/api/workspaces/${encodeURIComponent(workspace.id)}/docs`;
      location.assign(documentPagePath(await api<string>(path, { method: "POST", body, signal })));
    },
  });
}

/** A group of cards, one of which is selected. */
function startField(value: string, onChange: (value: string) => void): HTMLElement {
  const empty = { value: "", title: t("home.start.empty"), hint: t("home.start.empty.hint") };
  const templates = TEMPLATE_NAMES.map((name) => {
    const { title, hint } = TEMPLATE_TEXTS[name];
    return { value: name, title: t(title), hint: t(hint) };
  });
  const field = h(
    "fieldset",
    {},
    h("legend", {}, t("home.start.title")),
    h("div", { class: "start-cards" }, ...[empty, ...templates].map((card) => startCard(card, card.value === value))),
  );
  field.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement) onChange(target.value);
  });
  return field;
}

function startCard(
  { value, title, hint }: { value: string; title: string; hint: string },
  isSelected: boolean,
): HTMLElement {
  const [titleId, hintId] = [newId("start"), newId("start")];
  const input = h("input", {
    type: "radio",
    name: "start",
    value,
    checked: isSelected,
    "aria-labelledby": titleId,
    "aria-describedby": hintId,
  });
  // The whole card selects.
  return h(
    "label",
    { class: "start-card" },
    input,
    h("span", { id: titleId }, title),
    h("small", { id: hintId }, hint),
  );
}
