import { announce } from "../../../../base/client/announce.ts";
import { replaceChildren, h, nameElement } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Column } from "./columns.ts";
import type { Sheet } from "../sheet.ts";

/** Hints that another column has the same name. Duplicates are allowed, and distinguished by id. */
export function duplicateNameHint(
  input: HTMLInputElement,
  { sheet, column }: { sheet: Sheet; column?: Column | undefined },
): HTMLElement {
  const hint = h("p", { class: "hint same-name" });
  const show = () => {
    const name = input.value.trim();
    const isTaken = sheet.columns.some((each) => each.ref !== column?.ref && each.label === name);
    replaceChildren(hint, ...(isTaken ? t.rich("table.column.sameName", { column: nameElement(name) }) : []));
  };
  input.addEventListener("input", () => {
    show();
    announce(hint);
  });
  show();
  return hint;
}
