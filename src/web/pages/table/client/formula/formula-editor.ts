/** The editor of a formula, which completes names, checks the formula while it is typed and shows its result. */
import {
  type Completion,
  type CompletionSource,
  insertCompletionText,
  startCompletion,
} from "@codemirror/autocomplete";
import { EditorView } from "@codemirror/view";
import { CodeEditor } from "../../../../base/client/code-editor/editor.ts";
import { pythonMode } from "../../../../base/client/code-editor/python-mode.ts";
import { t } from "../../../../base/client/texts.ts";
import { typeName } from "../../../../base/type-names.ts";
import { callHelpAt } from "./call-help.ts";
import { completeFormula, type Suggestion } from "./complete-formula.ts";
import type { FormulaContext } from "./formula-context.ts";
import { FormulaHelp } from "./formula-help.ts";
import type { FormulaSchema } from "./formula-schema.ts";
import { LiveCheck } from "./live-check.ts";
import { readFormulaSchema } from "./read-formula-schema.ts";

export interface FormulaEditorOptions extends FormulaContext {
  readonly help: HTMLElement;
}

export function createFormulaEditor(
  area: HTMLTextAreaElement,
  { help: place, label, ...context }: FormulaEditorOptions,
): CodeEditor {
  const schema = readFormulaSchema(context);
  // Completion waits for it; without it the editor has no suggestions.
  let known: FormulaSchema | null = null;
  const readSchema = async () => {
    known = await schema;
    showCall();
  };
  // The editor reports changes while it is being made: an invalid formula is marked at once.
  let made: { readonly help: FormulaHelp; readonly check: LiveCheck } | null = null;
  const showCall = () => {
    if (!made) return;
    const { doc, selection } = editor.view.state;
    made.help.showCall(known && editor.view.hasFocus ? callHelpAt(doc.toString(), selection.main.head, known) : null);
  };
  const editor = new CodeEditor(area, {
    label,
    language: pythonMode,
    complete: [completionSource(schema, context)],
    indent: 4,
    extensions: [
      EditorView.updateListener.of(({ docChanged, selectionSet, focusChanged }) => {
        if (docChanged) made?.check.schedule();
        if (docChanged || selectionSet || focusChanged) showCall();
      }),
    ],
  });
  const help = new FormulaHelp(place, editor);
  const check = new LiveCheck(editor, { ...context, show: (answer) => help.show(answer) });
  made = { help, check };
  area.addEventListener("change", () => check.schedule());
  void readSchema();
  if (context.sheet.data.canChangeColumns) check.start();
  return editor;
}

const completionSource =
  (schema: Promise<FormulaSchema | null>, { isTrigger }: Pick<FormulaContext, "isTrigger">): CompletionSource =>
  async ({ state, pos, explicit }) => {
    const known = await schema;
    const found =
      known &&
      completeFormula(state.doc.toString(), pos, {
        schema: known,
        isExplicit: explicit,
        isTrigger: isTrigger?.() ?? false,
      });
    return found && { from: found.from, options: found.options.map(completionOf), filter: false };
  };

/** What people know is shown first, then the name in formulas, then the type. */
function completionOf({ kind, shown, insert, id, type, about }: Suggestion): Completion {
  const written = id !== undefined && id !== shown ? id : null;
  const shownType = type === undefined ? null : kind === "function" ? type : typeName(t, type);
  return {
    label: shown,
    detail: [written, shownType].filter((part) => part !== null).join(" · "),
    ...(about !== undefined && { info: about }),
    apply(view, _completion, from, to) {
      view.dispatch(insertCompletionText(view.state, insert, from, to));
      if (kind === "member" && insert.endsWith("(")) startCompletion(view);
    },
  };
}
