/** Underlines of problems in an editor, and the key that corrects the one at the caret. */
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap } from "@codemirror/view";

export interface MarkedProblem {
  readonly from: number;
  readonly to: number;
  /** In words. */
  readonly text: string;
  /** What replaces the part; null when there is no correction. */
  readonly replacement: string | null;
}

export const showProblems = StateEffect.define<readonly MarkedProblem[]>();

interface Marks {
  readonly problems: readonly MarkedProblem[];
  readonly decorations: DecorationSet;
}

const NO_MARKS: Marks = { problems: [], decorations: Decoration.none };

/** The problems move with the text until they are shown again. */
const field = StateField.define<Marks>({
  create: () => NO_MARKS,
  update(marks, { effects, changes, docChanged, newDoc }) {
    for (const effect of effects) if (effect.is(showProblems)) return marksOf(effect.value, newDoc.length);
    if (!docChanged || marks === NO_MARKS) return marks;
    const moved = marks.problems.map((problem) => ({
      ...problem,
      from: changes.mapPos(problem.from, 1),
      to: changes.mapPos(problem.to, -1),
    }));
    return marksOf(moved, newDoc.length);
  },
  provide: (own) => EditorView.decorations.from(own, ({ decorations }) => decorations),
});

function marksOf(problems: readonly MarkedProblem[], length: number): Marks {
  const shown = problems.filter(({ from, to }) => from < to && to <= length);
  if (shown.length === 0) return NO_MARKS;
  const ranges = shown.map(({ from, to, text }) =>
    Decoration.mark({ class: "cm-problem", attributes: { title: text } }).range(from, to),
  );
  return { problems: shown, decorations: Decoration.set(ranges, true) };
}

/** Replaces a problem by its correction. Returns false when there is none. */
export function correct(view: EditorView, problem: MarkedProblem | undefined): boolean {
  if (!problem || problem.replacement === null) return false;
  const { from, to, replacement } = problem;
  view.dispatch({
    changes: { from, to, insert: replacement },
    selection: { anchor: from + replacement.length },
    userEvent: "input",
  });
  return true;
}

/** Corrects the problem at the caret, else the first one that can be corrected. */
function correctNext(view: EditorView): boolean {
  const { problems } = view.state.field(field);
  const { head } = view.state.selection.main;
  const correctable = problems.filter(({ replacement }) => replacement !== null);
  return correct(view, correctable.find(({ from, to }) => from <= head && head <= to) ?? correctable[0]);
}

/** Returns the problems at their current places. */
export const problemsOf = (view: EditorView): readonly MarkedProblem[] => view.state.field(field).problems;

export const problemMarks = [field, keymap.of([{ key: "Mod-.", run: correctNext, preventDefault: true }])];
