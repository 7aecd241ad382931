/** A code editor made of CodeMirror, in place of a text area. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { acceptCompletion, autocompletion, type CompletionSource } from "@codemirror/autocomplete";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorSelection, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, tooltips } from "@codemirror/view";
import { t } from "../texts.ts";
import type { LoadedEditor } from "./code-field.ts";
import { problemMarks, type MarkedProblem, showProblems } from "./problem-marks.ts";
import { HIGHLIGHTING, THEME } from "./theme.ts";

export interface EditorOptions {
  readonly label: string;
  readonly language: Extension;
  readonly complete: readonly CompletionSource[];
  /** Spaces of an indentation. */
  readonly indent: number;
  /** Further keys and listeners. */
  readonly extensions?: readonly Extension[];
}

export class CodeEditor implements LoadedEditor {
  readonly view: EditorView;
  readonly #area: HTMLTextAreaElement;
  readonly #attributes = new Compartment();
  readonly #label: string;
  #isMarked = false;
  #firstProblem: string | null = null;

  /** The editor takes the place, the text, the selection and the focus of the text area, which is hidden. */
  constructor(area: HTMLTextAreaElement, options: EditorOptions) {
    this.#area = area;
    this.#label = options.label;
    const { selectionStart, selectionEnd, value } = area;
    const host = document.createElement("div");
    host.className = "code-editor";
    host.translate = false;
    host.style.setProperty("--rows", String(area.rows));
    // Style sheets of the editor are adopted by the shadow root: the content security policy forbids inline ones.
    const root = host.attachShadow({ mode: "open", delegatesFocus: false });
    const hadFocus = area.ownerDocument.activeElement === area;
    // Within its label, every click in the editor would be one on the label.
    (area.closest("label") ?? area).after(host);
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        selection: EditorSelection.range(clamp(selectionStart, value), clamp(selectionEnd, value)),
        extensions: this.#extensions(options),
      }),
    });
    area.hidden = true;
    // The editor has the name now.
    area.removeAttribute("aria-label");
    area.labels.forEach((label) => followLabel(label, area, this.view));
    area.addEventListener("input", () => this.#takeText());
    host.addEventListener("keydown", keepHandledEscape);
    if (hadFocus) this.view.focus();
    if (area.getAttribute("aria-invalid") === "true") this.markInvalid(true);
  }

  get beforeCaret(): string {
    return this.view.state.sliceDoc(0, this.view.state.selection.main.from);
  }

  focus(): void {
    this.view.focus();
  }

  selectAll(): void {
    this.view.dispatch({ selection: { anchor: 0, head: this.view.state.doc.length } });
    this.view.focus();
  }

  insert(text: string): void {
    this.view.dispatch(this.view.state.replaceSelection(text), { scrollIntoView: true, userEvent: "input" });
    this.view.focus();
  }

  replaceText(text: string): void {
    this.#replaceAll(text);
    this.view.focus();
  }

  markInvalid(isInvalid: boolean): void {
    this.#isMarked = isInvalid;
    this.#showState();
  }

  /** Underlines the problems, and names the first one to screen readers. */
  showProblems(problems: readonly MarkedProblem[]): void {
    this.view.dispatch({ effects: showProblems.of(problems) });
    this.#firstProblem = problems[0]?.text ?? null;
    this.#showState();
  }

  #showState(): void {
    const attributes = EditorView.contentAttributes.of(this.#contentAttributes());
    this.view.dispatch({ effects: this.#attributes.reconfigure(attributes) });
  }

  #extensions({ language, complete, indent, extensions = [] }: EditorOptions): Extension[] {
    return [
      keymap.of([{ key: "Tab", run: acceptCompletion }]),
      extensions,
      keymap.of([...historyKeymap, ...defaultKeymap]),
      history(),
      EditorView.lineWrapping,
      EditorView.domEventHandlers({ beforeinput: replaceSelected }),
      bracketMatching(),
      indentUnit.of(" ".repeat(indent)),
      language,
      syntaxHighlighting(HIGHLIGHTING),
      autocompletion({ override: complete, icons: false, maxRenderedOptions: 50, interactionDelay: 0 }),
      tooltips({ position: "fixed", tooltipSpace: visibleSpace }),
      problemMarks,
      THEME,
      EditorState.phrases.of({ Completions: t("base.editor.completions") }),
      this.#attributes.of(EditorView.contentAttributes.of(this.#contentAttributes())),
      EditorView.updateListener.of(({ docChanged }) => docChanged && this.#passText()),
    ];
  }

  #contentAttributes(): Record<string, string> {
    return {
      "aria-label": this.#label,
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
      ...((this.#isMarked || this.#firstProblem !== null) && { "aria-invalid": "true" }),
      ...(this.#firstProblem !== null && { "aria-description": this.#firstProblem }),
    };
  }

  #passText(): void {
    this.#area.value = this.view.state.doc.toString();
    this.#area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Other code has set the text of the area. */
  #takeText(): void {
    if (this.#area.value !== this.view.state.doc.toString()) this.#replaceAll(this.#area.value);
  }

  #replaceAll(text: string): void {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: this.view.state.toText(text).length },
      userEvent: "input",
    });
  }
}

/**
 * Browsers keep the look of a replaced selection by an inline style, which the content security policy reports: the editor
 * replaces it itself.
 */
function replaceSelected({ inputType, data, isComposing }: InputEvent, view: EditorView): boolean {
  const isReplaced = inputType === "insertText" && data !== null && !isComposing && !view.composing;
  if (!isReplaced || view.state.selection.main.empty || view.state.readOnly) return false;
  view.dispatch(view.state.replaceSelection(data), { scrollIntoView: true, userEvent: "input.type" });
  return true;
}

const clamp = (offset: number, text: string): number => Math.min(offset, text.length);

/** A label cannot name an element of a shadow tree: the editor has its text, and a click on it focuses the editor. */
function followLabel(label: HTMLLabelElement, area: HTMLTextAreaElement, view: EditorView): void {
  if (label.htmlFor === area.id) label.removeAttribute("for");
  label.addEventListener("click", (event) => {
    if (event.target !== label) return;
    event.preventDefault();
    view.focus();
  });
}

/** A key press that closed the list of completions must not close the panel around the editor as well. */
function keepHandledEscape(event: KeyboardEvent): void {
  if (event.key === "Escape" && event.defaultPrevented) event.stopPropagation();
}

/** Above the on-screen keyboard. */
function visibleSpace(): { left: number; top: number; right: number; bottom: number } {
  const { offsetLeft = 0, offsetTop = 0, width = innerWidth, height = innerHeight } = visualViewport ?? {};
  return { left: offsetLeft, top: offsetTop, right: offsetLeft + width, bottom: offsetTop + height };
}
