/** The field of a query: a text area, until its editor has loaded. */
import type { CodeEditor } from "../../../base/client/code-editor/editor.ts";
import { CodeField } from "../../../base/client/code-editor/code-field.ts";
import { t } from "../../../base/client/texts.ts";
import { errorSpan } from "./error-span.ts";
import type { SchemaTable } from "./sql-schema.ts";

export interface QueryEditorOptions {
  readonly tables: readonly SchemaTable[];
  readonly onRun: () => void;
  readonly onChange: () => void;
}

export class QueryEditor {
  readonly #field: CodeField<CodeEditor>;

  constructor(area: HTMLTextAreaElement, { tables, onRun, onChange }: QueryEditorOptions) {
    area.addEventListener("input", onChange);
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onRun();
    });
    this.#field = new CodeField(area, {
      load: async () => {
        const { createSqlEditor } = await import("./sql-editor.ts");
        return (plain: HTMLTextAreaElement) => createSqlEditor(plain, { label: t("sql.query"), tables, onRun });
      },
    });
  }

  get text(): string {
    return this.#field.text;
  }

  /** Replaces the whole text; can be undone. */
  set text(text: string) {
    this.#field.replaceText(text);
  }

  focus(): void {
    this.#field.focus();
  }

  /** Inserts a name at the cursor, with a blank before it where needed. */
  insertName(name: string): void {
    this.#field.insert(/[\w"'\]),*]$/.test(this.#field.beforeCaret) ? ` ${name}` : name);
  }

  /** Marks the field, and the part that the message names; null removes the marks. */
  showError(message: string | null): void {
    this.#field.markInvalid(message !== null);
    const span = message === null ? null : errorSpan(this.text, message);
    this.#field.editor?.showProblems(span && message !== null ? [{ ...span, text: message, replacement: null }] : []);
  }
}
