/** Checks a formula on the server at every pause of typing, for the row of the active cell. */
import type { CodeEditor } from "../../../../base/client/code-editor/editor.ts";
import { api, ApiError, isAborted } from "../../../../base/client/api.ts";
import type { FormulaContext } from "./formula-context.ts";

export type FormulaProblem = { readonly from: number; readonly to: number } & (
  | { readonly kind: "syntax"; readonly error: string; readonly detail: string }
  | { readonly kind: "column" | "name"; readonly name: string; readonly suggestion: string | null }
);

export type FormulaResult =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "error"; readonly error: string; readonly detail: string; readonly line: number | null }
  | { readonly kind: "unknown" };

export interface CheckAnswer {
  readonly problems: readonly FormulaProblem[];
  readonly result: FormulaResult | null;
  /** The position of the row in the grid, from 1. */
  readonly row: number;
}

const PAUSE_MS = 300;

export interface LiveCheckOptions extends Pick<FormulaContext, "sheet" | "columnId" | "isTrigger"> {
  readonly show: (answer: CheckAnswer) => void;
}

export class LiveCheck {
  readonly #editor: CodeEditor;
  readonly #options: LiveCheckOptions;
  #isStarted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;
  #row: number | undefined;

  constructor(editor: CodeEditor, options: LiveCheckOptions) {
    this.#editor = editor;
    this.#options = options;
  }

  start(): void {
    this.#isStarted = true;
    void this.#run();
    const { element } = this.#options.sheet.grid;
    const follow = () => {
      if (!this.#isShown) for (const event of ROW_EVENTS) element.removeEventListener(event, follow);
      else if (this.#activeRow() !== this.#row) this.schedule();
    };
    for (const event of ROW_EVENTS) element.addEventListener(event, follow);
  }

  schedule(): void {
    // The answer is about the previous text.
    this.#running?.abort();
    clearTimeout(this.#timer);
    if (this.#isStarted) this.#timer = setTimeout(() => void this.#run(), PAUSE_MS);
  }

  async #run(): Promise<void> {
    if (!this.#isShown) return;
    const running = new AbortController();
    this.#running = running;
    const { sheet, columnId, isTrigger, show } = this.#options;
    const row = this.#activeRow();
    const position = sheet.grid.selection.active.row + 1;
    this.#row = row;
    const body = {
      formula: this.#editor.view.state.doc.toString(),
      ...(columnId !== null && { column: columnId }),
      ...(row !== undefined && { row }),
      ...(isTrigger?.() === true && { isTrigger: true }),
    };
    try {
      const { signal } = running;
      const answer = await api<Omit<CheckAnswer, "row">>(`${sheet.path}/formulas/check`, {
        method: "POST",
        body,
        signal,
      });
      if (this.#running === running && this.#isShown) show({ ...answer, row: position });
    } catch (error) {
      // The formula is checked again when it is saved: a failure here is not worth a message.
      if (isAborted(error)) return;
      show({ problems: [], result: null, row: position });
      if (error instanceof ApiError && error.status === 403) this.#isStarted = false;
    }
  }

  #activeRow(): number | undefined {
    const { activeRow, rowPages } = this.#options.sheet;
    const id = activeRow && rowPages.idOf(activeRow.id);
    return id !== undefined && id > 0 ? id : undefined;
  }

  get #isShown(): boolean {
    return this.#editor.view.dom.isConnected;
  }
}

/** After which another cell may be active. */
const ROW_EVENTS = ["pointerup", "keyup"] as const;
