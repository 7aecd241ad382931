/** Edits of forms. */
import { changeBox, type FormBox, parseFormLayout } from "../../../src/web/base/views/form-layout.ts";
import {
  askForColumn,
  askNewQuestion,
  changeField,
  changeLayoutBox,
  changeOwnSettings,
  changeTitle,
  publish,
  removeFromForm,
  unpublish,
} from "../../../src/web/pages/form-builder/edits.ts";
import type { FormState } from "../../../src/web/pages/form-builder/form-data.ts";
import type { Actions, Edit, MakeActions } from "./edit.ts";

const newId = (): string => "new-box";

/** Returns an edit of the form. */
const inForm =
  (make: (form: FormState, root: FormBox) => Actions): MakeActions =>
  async (document) => {
    const form = await document.form(11);
    const root = parseFormLayout(form.layoutSpec);
    if (!root) throw new Error("the form has no layout");
    return make(form, root);
  };

const place = { parent: [], index: 0 };

export const FORM_EDITS: readonly Edit[] = [
  ["title a form", inForm((form) => changeTitle(form, "Join us")), ["Views_section 11: title"]],
  [
    "change the form's messages",
    inForm((form, root) => changeLayoutBox(form, { root, path: [] }, { successText: "Thanks" })),
    ["Views_section 11: layoutSpec"],
  ],
  [
    "change a question",
    inForm((form) => (form.fields[0] ? changeField(form, form.fields[0], { question: "What?" }) : [])),
    ["Views_section_field 38: widgetOptions"],
  ],
  ["close a form", inForm((form) => changeOwnSettings(form, { maxAnswers: 3 })), ["Views_section 11: options"]],
  [
    "remove a question",
    inForm((form, root) => removeFromForm(form, { root, path: [1], newId })),
    ["Views_section 11: layoutSpec", "-1 Views_section_field"],
  ],
  [
    "ask for a column",
    inForm((form, root) => askForColumn(form, 14, { root, place, newId, nextField: 50 })),
    ["Views_section 11: layoutSpec", "+1 Views_section_field"],
  ],
  [
    "ask a new question",
    inForm((form, root) =>
      askNewQuestion(form, { label: "Why", type: "Text", nextColumn: 20, nextField: 54 }, { root, place, newId }),
    ),
    ["+1 Tables_column", "Views_section 11: layoutSpec", "+3 Views_section_field"],
  ],
  ["unpublish a form", inForm((form) => unpublish(form)), ["Shares 1: options", "Views_section 11: shareOptions"]],
  [
    "publish a form again",
    async (document) => {
      await document.form(11).then((form) => document.apply(unpublish(form)));
      return inForm((form, root) => publish(form, { root: changeBox(root, [], {}), hasLink: true, newId }))(document);
    },
    ["Shares 1: options", "Views_section 11: shareOptions"],
  ],
  [
    "publish a form whose link is gone",
    inForm((form, root) => publish(form, { root, hasLink: false, newId })),
    ["Pages 3: shareRef", "+1 Shares"],
  ],
];
