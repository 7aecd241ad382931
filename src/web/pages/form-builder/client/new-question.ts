import { formDialog } from "../../../base/client/dialog.ts";
import { find, h } from "../../../base/client/dom.ts";
import { fieldErrorShown, formText, inputField, selectField } from "../../../base/client/form-field.ts";
import { t } from "../../../base/client/texts.ts";
import { TYPE_NAMES } from "../../../base/type-names.ts";
import type { BoxCommands } from "./box-commands.ts";
import type { Builder } from "./builder.ts";

/** Asks for the question and its type: the new column of the table. */
export function openNewQuestion({ data }: Builder, commands: BoxCommands): void {
  const types = Object.entries(TYPE_NAMES)
    .filter(([base]) => base !== "Any")
    .map(([value, key]) => ({ value, label: t(key) }));
  const kind = selectField(t("formBuilder.newQuestion.type"), { name: "type", value: "Text" }, types);
  const tables = data.tables.map(({ id, title }) => ({ value: id, label: title }));
  const target = selectField(t("formBuilder.newQuestion.table"), { name: "table", translate: "no" }, tables);
  const select: HTMLSelectElement = find("select", kind);
  const choices = h("label", {}, t("formBuilder.newQuestion.choices"), h("textarea", { name: "choices", rows: 4 }));
  const showDetails = () => {
    target.hidden = !select.value.startsWith("Ref");
    choices.hidden = !select.value.startsWith("Choice");
  };
  select.addEventListener("change", showDetails);
  showDetails();
  const problem = h("div", { class: "problem-place" });
  void formDialog({
    title: t("formBuilder.newQuestion"),
    content: [
      inputField(t("formBuilder.question"), { name: "label", required: true, maxlength: 1000 }),
      kind,
      target,
      choices,
      h("p", { class: "hint" }, t("formBuilder.newQuestion.hint")),
      problem,
    ],
    action: t("formBuilder.newQuestion.add"),
    submit: async (form) => {
      const base = formText(form, "type");
      const argument = base === "DateTime" ? data.timezone : base.startsWith("Ref") ? formText(form, "table") : "";
      const type = argument === "" ? base : `${base}:${argument}`;
      const question = {
        label: formText(form, "label"),
        type,
        choices: base.startsWith("Choice") ? linesOf(formText(form, "choices")) : [],
      };
      if (!(await commands.addQuestion(question, problem))) throw fieldErrorShown();
    },
  });
}

/** Returns the lines of a text, each once, without empty ones. */
const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];
