import type { RecordJson } from "../../table-data.ts";
import { sentenceOf, wasStopped } from "../base/api.ts";
import { copyButton } from "../base/copy.ts";
import { openDialog } from "../base/dialog.ts";
import { fill, h, newId } from "../base/dom.ts";
import { showProblem } from "../base/problem.ts";
import { toast } from "../base/toast.ts";
import { watchUnsaved } from "../base/unsaved.ts";
import type { Place } from "../grid/selection.ts";
import type { Changes } from "./changes.ts";
import { countTyped, offerBack } from "./discarded-text.ts";
import { type Column, valueOf } from "./columns.ts";
import { choiceEditor } from "./editors/choice-editor.ts";
import type { Editor, EditorContext, Entered } from "./editors/editor.ts";
import { referenceEditor } from "./editors/reference-editor.ts";
import { textEditor } from "./editors/text-editor.ts";
import type { Sheet } from "./sheet.ts";

export interface EditingOptions {
  readonly sheet: Sheet;
  readonly changes: Changes;
  /** Shows what a column computes. */
  readonly openFormula: (column: Column) => void;
  readonly openFiles: (column: Column, row: RecordJson) => void;
}

interface Open {
  readonly editor: Editor;
  readonly element: HTMLElement;
  readonly message: HTMLElement;
  readonly column: Column;
  readonly row: RecordJson;
  readonly isTouched: () => boolean;
  readonly stopWatching: () => void;
  /** What was said not to fit: whoever insists on the same gets it. */
  warnedOf: string | null;
  /** How many characters were typed. */
  readonly typed: () => number;
}

/** Changes single cells where they are. */
export class Editing {
  readonly #options: EditingOptions;
  #open: Open | undefined;

  constructor(options: EditingOptions) {
    this.#options = options;
    // What is being typed stays with its row, wherever others' changes move it.
    options.sheet.onChange(() => {
      const at = this.#open ? options.sheet.pages.find(this.#open.row.id) : -1;
      if (at >= 0) options.sheet.grid.moveCover(at);
    });
    options.sheet.grid.element.addEventListener(
      "pointerdown",
      (event) => {
        const isInside = this.#open?.element.contains(event.target as Node) ?? false;
        if (this.#open && !isInside) this.save();
      },
      true,
    );
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Begins to change the active cell; `typed` is what was typed on it, null keeps what stands there. */
  start(typed: string | null): void {
    const { sheet, openFormula, openFiles } = this.#options;
    const { active } = sheet.grid.selection;
    const column = sheet.shown[active.column];
    const row = sheet.pages.at(active.row);
    if (!column || !row || this.#open) return;
    if (column.isFormula && !column.isEmpty) {
      if (typed === null) openFormula(column);
      return;
    }
    if (column.type.base === "Attachments") return openFiles(column, row);
    if (!sheet.mayEdit) return;
    if (column.type.base === "Bool") {
      // Other letters than the bar of spaces do not mean yes or no.
      if (typed === null || typed === " ") void this.#toggle(column, row);
      return;
    }
    this.#show(column, row, { typed, place: active });
  }

  /**
   * Keeps what was entered: the cell shows it at once, and the person goes on while it is sent. What is refused opens
   * again. Answers false where something does not fit and the person has to say so.
   */
  save(): boolean {
    const open = this.#open;
    if (!open) return true;
    const entered = open.editor.entered();
    const { value, misfit } = entered;
    const key = JSON.stringify(value);
    if (misfit !== null && open.warnedOf !== key) {
      open.warnedOf = key;
      fill(
        open.message,
        h(
          "p",
          { role: "alert" },
          misfit,
          h("br"),
          h("span", { class: "quiet" }, "Enter again keeps it, Escape leaves the cell as it was."),
        ),
      );
      open.editor.focus();
      return false;
    }
    if (key === JSON.stringify(valueOf(open.row, open.column.id))) {
      this.cancel();
      return true;
    }
    this.#close();
    void this.#send(open, entered);
    return true;
  }

  /** Leaves the cell as it was. */
  cancel(): void {
    this.#open?.stopWatching();
    this.#close();
  }

  #close(): void {
    if (!this.#open) return;
    const { grid } = this.#options.sheet;
    this.#open = undefined;
    grid.uncover();
    grid.focus();
  }

  async #send(open: Open, { value, shown }: Entered): Promise<void> {
    const { sheet, changes } = this.#options;
    const { column, row } = open;
    const before = Object.fromEntries(Object.keys(shown ?? {}).map((id) => [id, row.fields[id]]));
    sheet.pages.patch(row.id, shown ?? {});
    sheet.grid.changed();
    try {
      await changes.apply([["UpdateRecord", sheet.table, row.id, { [column.id]: value }]]);
      open.stopWatching();
      if (column.isEmpty) await sheet.reloadColumns();
    } catch (error) {
      sheet.pages.patch(row.id, before);
      sheet.grid.changed();
      this.#refused(open, error);
    }
  }

  /** Opens an editor again with what was entered, and says why it was not kept. */
  #refused(open: Open, error: unknown): void {
    const again = () => {
      if (!this.save()) return;
      if (!this.#reopen(open)) return showLost(open, { title: `${open.column.name} was not changed`, error });
      showProblem(open.message, error, { retry: () => this.save() });
    };
    if (!this.#open) return again();
    // Whoever is typing elsewhere by now is not torn away from there.
    const text = `${open.column.name} was not changed: ${sentenceOf(error)}`;
    toast(text, { problem: true, action: { label: "Show it", run: again } });
  }

  /** Puts an editor that was closed back over its cell; false where that is not shown any more. */
  #reopen(open: Open): boolean {
    const { grid, pages, shown } = this.#options.sheet;
    const place = { row: pages.find(open.row.id), column: shown.findIndex(({ ref }) => ref === open.column.ref) };
    if (place.row < 0 || place.column < 0) return false;
    grid.activate(place, { focus: false });
    this.#open = open;
    grid.cover(place, open.element);
    open.editor.focus();
    return true;
  }

  /** Leaves the cell as it was, and offers back what would be tedious to type again. */
  #discard(open: Open): void {
    this.cancel();
    offerBack(open.typed(), () => {
      if (!this.save()) return;
      const isShown = this.#reopen({ ...open, stopWatching: watchUnsaved(open.isTouched) });
      if (!isShown) showLost(open, { title: "The cell is not shown any more", error: null });
    });
  }

  async #toggle(column: Column, row: RecordJson): Promise<void> {
    const { sheet, changes } = this.#options;
    try {
      const value = valueOf(row, column.id) !== true;
      await changes.apply([["UpdateRecord", sheet.table, row.id, { [column.id]: value }]]);
    } catch (error) {
      if (!wasStopped(error)) toast(sentenceOf(error), { problem: true });
    }
  }

  #show(column: Column, row: RecordJson, { typed, place }: { typed: string | null; place: Place }): void {
    const { sheet } = this.#options;
    const context: EditorContext = {
      docId: sheet.docId,
      column,
      row,
      typed,
      settings: sheet.data.settings,
      done: () => this.#saveAndMove({ row: 0, column: 0 }),
    };
    const editor = editorFor(context);
    const message = h("div", { class: "editor-message", id: newId("message") });
    const element = h("div", { class: "editor" }, editor.element, message);
    const before = JSON.stringify(editor.entered().value);
    const isTouched = () => JSON.stringify(editor.entered().value) !== before;
    // What was said of the former text is not true of the next one.
    element.addEventListener("input", () => {
      fill(message);
      if (this.#open) this.#open.warnedOf = null;
    });
    this.#open = {
      editor,
      element,
      message,
      column,
      row,
      stopWatching: watchUnsaved(isTouched),
      warnedOf: null,
      typed: countTyped(element, typed),
      isTouched,
    };
    element.addEventListener("keydown", (event) => this.#pressed(event));
    element.addEventListener("pointerdown", (event) => event.stopPropagation());
    sheet.grid.cover(place, element);
    editor.focus();
  }

  #pressed(event: KeyboardEvent): void {
    event.stopPropagation();
    const open = this.#open;
    if (!open || event.isComposing) return;
    if (open.editor.takes?.(event)) return event.preventDefault();
    const isLine = event.key === "Enter" && (event.shiftKey || event.altKey);
    if (isLine) {
      if (event.altKey && event.target instanceof HTMLTextAreaElement)
        event.target.setRangeText("\n", event.target.selectionStart, event.target.selectionEnd, "end");
      return;
    }
    const steps: Record<string, Place> = {
      Enter: { row: 1, column: 0 },
      Tab: { row: 0, column: event.shiftKey ? -1 : 1 },
    };
    const step = steps[event.key];
    if (event.key === "Escape") {
      event.preventDefault();
      this.#discard(open);
    } else if (step) {
      event.preventDefault();
      this.#saveAndMove(step);
    }
  }

  #saveAndMove(step: Place): void {
    const { grid, pages } = this.#options.sheet;
    if (!this.save()) return;
    const { row, column } = grid.selection.active;
    grid.activate({ row: Math.min(pages.count - 1, row + step.row), column: column + step.column });
  }
}

/** The cell is nowhere to be seen by now: what was entered can be copied before it goes. */
function showLost({ element, stopWatching }: Open, { title, error }: { title: string; error: unknown }): void {
  const entered = element.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea")?.value ?? "";
  openDialog({
    title,
    content: [
      h("p", {}, "The row is not here any more: somebody removed it, or it does not fit the filter."),
      error !== null && h("p", { class: "quiet" }, sentenceOf(error)),
      entered !== "" && h("p", {}, "You had entered: ", h("q", {}, entered)),
      entered !== "" &&
        h(
          "div",
          { class: "bar" },
          copyButton("Copy what you had entered", () => entered),
        ),
    ],
    onClose: stopWatching,
  });
}

/** What a cell of a column is changed in. */
export function editorFor(context: EditorContext): Editor {
  switch (context.column.type.base) {
    case "Choice":
    case "ChoiceList":
      return choiceEditor(context);
    case "Ref":
    case "RefList":
      return referenceEditor(context);
    default:
      return textEditor(context);
  }
}
