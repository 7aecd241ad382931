import { formDialog } from "../../../../base/client/dialog.ts";
import { nameElement } from "../../../../base/client/dom.ts";
import { formText, inputField } from "../../../../base/client/form-field.ts";
import { t } from "../../../../base/client/texts.ts";
import { WIDTHS } from "../../../../base/view-state.ts";
import type { Sheet } from "../sheet.ts";
import type { Column } from "./columns.ts";

/** Asks for the width of a column. */
export async function openWidthDialog(column: Column, { view }: Sheet): Promise<void> {
  const { min, max } = WIDTHS;
  const value = view.widthOf(column);
  await formDialog({
    title: t.rich("table.column.widthOf", { column: nameElement(column.name) }),
    content: [
      inputField(t("table.column.widthInput", { min, max }), {
        type: "number",
        name: "width",
        min,
        max,
        value,
        required: true,
      }),
    ],
    action: t("table.column.setWidth"),
    async submit(form) {
      view.setWidth(column.id, Number(formText(form, "width")), { isDone: true });
      return Promise.resolve();
    },
  });
}
