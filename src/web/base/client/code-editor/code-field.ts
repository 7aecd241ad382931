/** A text area for code, which an editor replaces once its script has loaded. */

/** What a loaded editor offers. The text area keeps the same text: its value is that of the field. */
export interface LoadedEditor {
  readonly beforeCaret: string;
  focus(): void;
  selectAll(): void;
  /** Replaces the selection, or inserts at the caret. */
  insert(text: string): void;
  /** Replaces the whole text, as one step that can be undone. */
  replaceText(text: string): void;
  markInvalid(isInvalid: boolean): void;
}

export interface CodeFieldOptions<Editor extends LoadedEditor> {
  /** Replaces the text area by an editor. */
  readonly load: () => Promise<(area: HTMLTextAreaElement) => Editor>;
}

/**
 * Until the editor has loaded, and when loading fails, the text area is the field. Text that is typed meanwhile stays, and
 * so does the caret.
 */
export class CodeField<Editor extends LoadedEditor = LoadedEditor> {
  readonly area: HTMLTextAreaElement;
  #editor: Editor | undefined;

  constructor(area: HTMLTextAreaElement, { load }: CodeFieldOptions<Editor>) {
    this.area = area;
    const composition = watchComposition(area);
    const upgrade = async () => {
      const create = await load();
      // An input method that is composing text must not lose its field.
      await composition.ended();
      this.#editor = create(area);
    };
    // The plain field works: without the editor only its help is missing.
    upgrade().catch(() => {});
  }

  get editor(): Editor | undefined {
    return this.#editor;
  }

  get text(): string {
    return this.area.value;
  }

  focus(): void {
    (this.#editor ?? this.area).focus();
  }

  select(): void {
    if (this.#editor) this.#editor.selectAll();
    else this.area.select();
  }

  insert(text: string): void {
    if (this.#editor) return this.#editor.insert(text);
    const { area } = this;
    area.focus();
    insertAsTyped(area, text);
  }

  replaceText(text: string): void {
    if (this.#editor) return this.#editor.replaceText(text);
    const { area } = this;
    area.focus();
    area.select();
    insertAsTyped(area, text);
  }

  /** The text before the caret. */
  get beforeCaret(): string {
    return this.#editor?.beforeCaret ?? this.area.value.slice(0, this.area.selectionStart);
  }

  markInvalid(isInvalid: boolean): void {
    if (isInvalid) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
    this.#editor?.markInvalid(isInvalid);
  }
}

/** Replaces the selection so that it can be undone. */
function insertAsTyped(area: HTMLTextAreaElement, text: string): void {
  // oxlint-disable-next-line typescript/no-deprecated -- the only way that keeps the undo history
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function watchComposition(area: HTMLTextAreaElement): { ended: () => Promise<void> } {
  let isComposing = false;
  area.addEventListener("compositionstart", () => (isComposing = true));
  area.addEventListener("compositionend", () => (isComposing = false));
  return {
    ended: () =>
      isComposing
        ? new Promise((resolve) => {
            // The field receives the text after the event.
            area.addEventListener("compositionend", () => setTimeout(resolve), { once: true });
          })
        : Promise.resolve(),
  };
}
