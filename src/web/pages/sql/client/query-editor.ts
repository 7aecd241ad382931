/** The field that a query is written in. */

const INDENT = "  ";

export interface QueryEditorOptions {
  readonly onRun: () => void;
  readonly onChange: () => void;
}

/** A textarea that indents by the tabulator, which leaves it again after Escape: nobody is held by the keyboard. */
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

  /** Puts another text in place of all of it; it can be undone. */
  set text(text: string) {
    this.#field.focus();
    this.#field.select();
    this.#insert(text);
  }

  /** Puts a name where the cursor is, with a blank before it where it would run into something. */
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
    // Nothing to take away: the key means what it means everywhere.
    if (moved === lines) return;
    event.preventDefault();
    this.#field.setSelectionRange(start, selectionEnd);
    this.#insert(moved);
    this.#field.setSelectionRange(isSeveralLines ? start : start + moved.length, start + moved.length);
  }

  /** A new line begins where the one before begins. */
  #insertNewLine(event: KeyboardEvent): void {
    const { value, selectionStart } = this.#field;
    const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (indent === "") return;
    event.preventDefault();
    this.#insert(`\n${indent}`);
  }

  /** In place of what is selected, as if it was typed: so that it can be undone. */
  #insert(text: string): void {
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else keeps what can be undone
    if (document.execCommand("insertText", false, text)) return;
    const { selectionStart, selectionEnd } = this.#field;
    this.#field.setRangeText(text, selectionStart, selectionEnd, "end");
    this.#field.dispatchEvent(new Event("input"));
  }
}
