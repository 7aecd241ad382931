/** The editor of queries: SQLite's syntax, with completion of keywords, tables and columns. */
import type { Completion, CompletionSource } from "@codemirror/autocomplete";
import { indentLess, indentMore, insertNewlineKeepIndent } from "@codemirror/commands";
import { keywordCompletionSource, schemaCompletionSource, sql, type SQLNamespace } from "@codemirror/lang-sql";
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { CodeEditor } from "../../../base/client/code-editor/editor.ts";
import { columnsInScope } from "./columns-in-scope.ts";
import type { SchemaColumn, SchemaTable } from "./sql-schema.ts";
import { quoteSqlName } from "./quote-name.ts";
import { isSqliteWord, SQLITE } from "./sqlite-dialect.ts";

export interface SqlEditorOptions {
  readonly label: string;
  readonly tables: readonly SchemaTable[];
  readonly onRun: () => void;
}

export function createSqlEditor(area: HTMLTextAreaElement, { label, tables, onRun }: SqlEditorOptions): CodeEditor {
  const schema = namespaceOf(tables);
  const names = schemaCompletionSource({ dialect: SQLITE, schema });
  const run = () => {
    onRun();
    return true;
  };
  return new CodeEditor(area, {
    label,
    language: sql({ dialect: SQLITE }).language,
    complete: [withoutTyped(columnSource(tables)), withoutTyped(names), withoutTyped(wordSource)],
    indent: 2,
    extensions: [
      keymap.of([
        { key: "Mod-Enter", run },
        { key: "Enter", run: insertNewlineKeepIndent },
      ]),
      tabIndents(),
    ],
  });
}

/** Tab indents; after Escape it leaves the editor, so that it is no keyboard trap. */
function tabIndents(): Extension {
  let isLeaving = false;
  return [
    EditorView.domEventHandlers({
      keydown({ key }) {
        if (key === "Escape") isLeaving = true;
        else if (key !== "Tab" && key !== "Shift") isLeaving = false;
      },
      blur() {
        isLeaving = false;
      },
    }),
    keymap.of([
      {
        key: "Tab",
        run(view) {
          if (isLeaving) return false;
          const { main } = view.state.selection;
          const isSeveralLines = view.state.doc.lineAt(main.from).number < view.state.doc.lineAt(main.to).number;
          if (isSeveralLines) return indentMore(view);
          view.dispatch(view.state.replaceSelection("  "), { userEvent: "input" });
          return true;
        },
        // Where there is nothing to unindent, the key keeps its default action.
        shift: (view) => !isLeaving && isIndented(view) && indentLess(view),
      },
    ]),
  ];
}

function isIndented({ state }: EditorView): boolean {
  const { from, to } = state.selection.main;
  for (let at = state.doc.lineAt(from).number; at <= state.doc.lineAt(to).number; at++) {
    if (/^[ \t]/.test(state.doc.line(at).text)) return true;
  }
  return false;
}

/** Columns without the name of their table before them. */
const columnSource =
  (tables: readonly SchemaTable[]): CompletionSource =>
  (context) => {
    const { state, pos, explicit } = context;
    const typed = context.matchBefore(/[\p{L}_][\p{L}\p{N}_$]*/u);
    const from = typed?.from ?? pos;
    const isLiteral = /String|Comment|QuotedIdentifier/.test(syntaxTree(state).resolveInner(pos, -1).name);
    if (isLiteral || (!typed && !explicit) || /[.:@$]$/.test(state.sliceDoc(0, from))) return null;
    return { from, options: columnsInScope(state.doc.toString(), tables).map(columnCompletion) };
  };

const sqliteWords = keywordCompletionSource(SQLITE);

/** Keywords and functions. A complete one needs no longer one: Enter then starts a new line. */
const wordSource: CompletionSource = (context) => {
  const typed = context.matchBefore(/\w+/);
  return typed && !context.explicit && isSqliteWord(typed.text) ? null : sqliteWords(context);
};

/** A word that is complete is not suggested: Enter then starts a new line. */
const withoutTyped =
  (source: CompletionSource): CompletionSource =>
  async (context) => {
    const found = await source(context);
    if (!found) return null;
    const typed = context.state.sliceDoc(found.from, context.pos).toLowerCase();
    if (typed === "" && !context.explicit && !context.state.sliceDoc(0, found.from).endsWith(".")) return null;
    const { validFor: _, ...result } = found;
    return { ...result, options: found.options.filter(({ label }) => label.toLowerCase() !== typed) };
  };

function namespaceOf(tables: readonly SchemaTable[]): SQLNamespace {
  const entries = tables.map(({ id, title, columns }) => [
    id,
    {
      self: completionOf(id, title === id ? "" : title),
      children: columns.map(columnCompletion),
    },
  ]);
  // Without a prototype: a table may be called `constructor`.
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries)) as SQLNamespace;
}

const columnCompletion = ({ id, name, type }: SchemaColumn): Completion => ({
  ...completionOf(id, [name === id ? "" : name, type].filter((part) => part !== "").join(" · ")),
  // Before keywords.
  boost: 1,
});

const completionOf = (id: string, detail: string): Completion => ({
  label: id,
  apply: quoteSqlName(id),
  ...(detail !== "" && { detail }),
});
