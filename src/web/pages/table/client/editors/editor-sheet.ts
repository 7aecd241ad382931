/** Editors with a list of options, as sheets at the bottom of phones and touch screens. */
import { showsSheets } from "../../../../base/client/bottom-sheet.ts";
import { nameElement } from "../../../../base/client/dom.ts";
import { type OpenPopover, openPopover, type PopoverOptions } from "../../../../base/client/popover.ts";
import type { Column } from "../columns/columns.ts";
import type { CellEditor } from "./cell-editor.ts";

export interface EditorSheetOptions {
  readonly column: Column;
  /** The editor, with its messages. */
  readonly content: HTMLElement;
  /** Returns the edited cell or field, which stays visible. */
  readonly anchor: () => HTMLElement | undefined;
  /** Has the focus afterwards; by default the anchor. */
  readonly opener?: HTMLElement | null;
  /** What scrolls it into view. */
  readonly scroller: HTMLElement;
  readonly leave: NonNullable<PopoverOptions["leave"]>;
}

const GAP_PX = 8;

export const isSheetEditor = ({ hasOptions = false }: CellEditor): boolean => hasOptions && showsSheets();

export function openEditorSheet(options: EditorSheetOptions): OpenPopover {
  const { column, content, anchor, scroller, leave } = options;
  const header = scroller.querySelector(".head-group");
  return openPopover(options.opener ?? anchor() ?? scroller, {
    attributes: { class: "popover editor-sheet", role: "dialog" },
    title: nameElement(column.name),
    content: [content],
    leave,
    onClose: () => scroller.style.removeProperty("--covered"),
    beside: {
      visibleTo: () => {
        const top = header?.getBoundingClientRect().bottom ?? scroller.getBoundingClientRect().top;
        return top + (anchor()?.offsetHeight ?? 0) + GAP_PX;
      },
      onMove: (top) => {
        // Below the last row there is room to scroll, too.
        scroller.style.setProperty("--covered", `${Math.max(0, scroller.getBoundingClientRect().bottom - top)}px`);
        const bottom = anchor()?.getBoundingClientRect().bottom ?? 0;
        if (bottom + GAP_PX > top) scroller.scrollTop += bottom + GAP_PX - top;
      },
    },
  });
}
