/** The editor of a query. */

const INDENT = "  ";

export interface QueryEditorOptions {
  readonly onRun: () => void;
  readonly onChange: () => void;
}

/** A textarea in which Tab indents; after Escape Tab leaves it, so that it is no keyboard trap. */
export class QueryEditor {
  readonly #field: HTMLTextAreaElement;
  #leavesOnTab = false;

  constructor(field: HTMLTextAreaElement, { onRun, onChange }: QueryEditorOptions) {
    this.#field = field;
    field.addEventListener("input", onChange);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        onRun();
      } else if (event.key === "Tab") this.#handleTab(event);
      else if (event.key === "Escape") this.#leavesOnTab = true;
      else if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.isComposing)
        this.#insertNewLine(event);
      else if (event.key !== "Shift") this.#leavesOnTab = false;
    });
    field.addEventListener("blur", () => (this.#leavesOnTab = false));
  }

  get text(): string {
    return this.#field.value;
  }

  /** Replaces the whole text; can be undone. */
  set text(text: string) {
    this.#field.focus();
    this.#field.select();
    this.#insert(text);
  }

  /** Inserts a name at the cursor, with a blank before it where needed. */
  insertName(name: string): void {
    const { value, selectionStart } = this.#field;
    this.#field.focus();
    const before = value.slice(0, selectionStart);
    this.#insert(/[\w"'\]),*]$/.test(before) ? ` ${name}` : name);
  }

  markInvalid(isInvalid: boolean): void {
    if (isInvalid) this.#field.setAttribute("aria-invalid", "true");
    else this.#field.removeAttribute("aria-invalid");
  }

  #handleTab(event: KeyboardEvent): void {
    if (this.#leavesOnTab || event.ctrlKey || event.metaKey || event.altKey) return;
    const { value, selectionStart, selectionEnd } = this.#field;
    const isSeveralLines = value.slice(selectionStart, selectionEnd).includes("\n");
    if (!event.shiftKey && !isSeveralLines) {
      event.preventDefault();
      this.#insert(INDENT);
      return;
    }
    const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const lines = value.slice(start, selectionEnd);
    const moved = event.shiftKey ? lines.replaceAll(/^ {1,2}/gm, "") : lines.replaceAll(/^/gm, INDENT);
    // Nothing to unindent: the key keeps its default action.
    if (moved === lines) return;
    event.preventDefault();
    this.#field.setSelectionRange(start, selectionEnd);
    this.#insert(moved);
    this.#field.setSelectionRange(isSeveralLines ? start : start + moved.length, start + moved.length);
  }

  /** A new line keeps the indentation. */
  #insertNewLine(event: KeyboardEvent): void {
    const { value, selectionStart } = this.#field;
    const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (indent === "") return;
    event.preventDefault();
    this.#insert(`\n${indent}`);
  }

  /** Replaces the selection as if typed, so that it can be undone. */
  #insert(text: string): void {
    // oxlint-disable-next-line typescript/no-deprecated -- the only way that keeps the undo history
    if (document.execCommand("insertText", false, text)) return;
    const { selectionStart, selectionEnd } = this.#field;
    this.#field.setRangeText(text, selectionStart, selectionEnd, "end");
    this.#field.dispatchEvent(new Event("input"));
  }
}
