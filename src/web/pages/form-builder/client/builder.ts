import { ApiError, apiWithRetry } from "../../../base/client/api.ts";
import type { Content } from "../../../base/client/dom.ts";
import { randomUuid } from "../../../base/client/random-uuid.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import type { RecordsPage } from "../../../base/table-data.ts";
import {
  boxAt,
  type BoxPath,
  type FormBox,
  newFormLayout,
  parseFormLayout,
  walkBoxes,
} from "../../../base/views/form-layout.ts";
import { UndoManager } from "../../table/client/undo-manager.ts";
import { showUndoToast } from "../../table/client/undo-toast.ts";
import type { UserAction } from "../edits.ts";
import { columnOf, type FormBuilderData, type FormState, readForm, type ReadMetadata } from "../form-data.ts";

/** Identifies a box while others move: by its id if that is unique, else by its path. */
export type BoxKey = string;

export interface EditOptions {
  /** Says what was done, with Undo. */
  readonly toast?: (() => Content) | undefined;
  /** Shows a failure; by default below the bar. */
  readonly problem?: HTMLElement | undefined;
  /** Repeats the edit after a failure. */
  readonly retry?: (() => void) | undefined;
  /** Checks the results of the actions. An edit with others is undone and made again. */
  readonly isExpected?: ((results: readonly unknown[]) => boolean) | undefined;
}

type BuildActions = () => readonly UserAction[] | Promise<readonly UserAction[]>;

const MAX_ATTEMPTS = 3;

/** The form as it is stored, and the edits of the user. Edits are sent one after another. */
export class Builder {
  readonly data: FormBuilderData;
  readonly changes: UndoManager;
  readonly #problem: HTMLElement;
  readonly #listeners = new Set<() => void>();
  #form: FormState;
  #root: FormBox;
  #queue: Promise<unknown> = Promise.resolve();
  /** The box that new ones are added beside. */
  #selected: BoxKey | null = null;
  /** Ids of the boxes of a form without a layout. */
  readonly #ids: string[] = [];
  /** Input that is not stored yet. */
  readonly #unsaved = new Set<object>();

  constructor(data: FormBuilderData, problem: HTMLElement) {
    this.data = data;
    this.changes = new UndoManager({ docId: data.docId, table: null });
    this.#problem = problem;
    this.#form = data.form;
    this.#root = this.#readLayout();
  }

  get form(): FormState {
    return this.#form;
  }

  /** The layout: the stored one, or that of a new form. */
  get root(): FormBox {
    return this.#root;
  }

  get name(): string {
    const { title, table } = this.#form;
    return title || (this.data.tables.find(({ id }) => id === table)?.title ?? table);
  }

  get hasUnsaved(): boolean {
    return this.#unsaved.size > 0;
  }

  setUnsaved(input: object, isUnsaved: boolean): void {
    const had = this.hasUnsaved;
    if (isUnsaved) this.#unsaved.add(input);
    else this.#unsaved.delete(input);
    if (had !== this.hasUnsaved) this.#notify();
  }

  get selected(): BoxPath | null {
    return this.#selected === null ? null : this.pathOf(this.#selected);
  }

  select(key: BoxKey | null): void {
    if (this.#selected === key) return;
    this.#selected = key;
    this.#notify();
  }

  /** Calls the listener after each change of the form. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  keyOf(path: BoxPath): BoxKey {
    const id = boxAt(this.#root, path)?.id;
    const isUnique =
      typeof id === "string" && [...walkBoxes(this.#root)].filter(({ box }) => box.id === id).length === 1;
    return isUnique ? `id ${id}` : `path ${path.join()}`;
  }

  /** Returns where a box is now; null when it is gone. */
  pathOf(key: BoxKey): BoxPath | null {
    return walkBoxes(this.#root).find(({ path }) => this.keyOf(path) === key)?.path ?? null;
  }

  /**
   * Stores an edit. Its actions are created when all former edits are stored. Resolves to false after a failure, which is
   * shown.
   */
  edit(build: BuildActions, options: EditOptions = {}): Promise<boolean> {
    const { toast, problem = this.#problem, retry } = options;
    const run = this.#queue.then(async () => {
      try {
        await this.#apply(build, options);
        clearError(problem);
      } catch (error) {
        showError(problem, error, { ...(retry && { retry }), canClose: true });
        // Controls that show the edit already go back.
        this.#notify();
        return false;
      }
      if (toast) showUndoToast(toast(), { sheet: this, changes: this.changes, undone: () => this.reload() });
      return true;
    });
    this.#queue = run;
    return run;
  }

  async #apply(build: BuildActions, { isExpected = () => true }: EditOptions): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      // An edit of another person would be overwritten.
      await this.reload();
      const actions = await build();
      if (actions.length === 0) return;
      const results = await this.changes.apply(actions);
      const isRight = isExpected(results);
      if (!isRight) await this.changes.undo(this.changes.latestState ?? undefined);
      await this.reload();
      if (isRight) return;
      if (attempt === MAX_ATTEMPTS) throw new ApiError("away", t("formBuilder.conflict"), {});
    }
  }

  /** Undoes or redoes the last change of the user. */
  async revert(way: "undo" | "redo"): Promise<void> {
    try {
      if (await this.changes[way]()) await this.reload();
    } catch (error) {
      this.showError(error);
    }
  }

  showError(error: unknown): void {
    showError(this.#problem, error, { canClose: true });
  }

  /** Reads the form again, after a change of this user or another one. @throws ApiError when the form is gone */
  async reload(): Promise<void> {
    const read: ReadMetadata = async (table, filter) =>
      (await this.#records(table, { filter: JSON.stringify(filter) })).records;
    const form = await readForm(read, this.#form.section);
    if (!form) throw new ApiError("refused", t("formBuilder.gone"), { status: 404 });
    if (JSON.stringify(form) === JSON.stringify(this.#form)) return;
    this.#form = form;
    this.#root = this.#readLayout();
    this.#notify();
  }

  /** Returns the ids that the document gives to the next column and field. */
  async nextIds(): Promise<{ readonly nextColumn: number; readonly nextField: number }> {
    const last = async (table: string) => (await this.#records(table, { sort: "-id", limit: 1 })).records[0]?.id ?? 0;
    const [column, field] = await Promise.all([last("_grist_Tables_column"), last("_grist_Views_section_field")]);
    return { nextColumn: column + 1, nextField: field + 1 };
  }

  #records(table: string, query: Readonly<Record<string, string | number>>): Promise<RecordsPage> {
    return apiWithRetry<RecordsPage>(`/api/docs/${this.data.docId}/tables/${table}/records`, { query });
  }

  #readLayout(): FormBox {
    const stored = parseFormLayout(this.#form.layoutSpec);
    if (stored) return stored;
    const fields = this.#form.fields.filter((field) => columnOf(this.#form, field)?.isComputed === false);
    let next = 0;
    // The same as before, so that boxes keep their keys until the layout is stored.
    const newId = () => (this.#ids[next++] ??= randomUuid());
    return newFormLayout({ fields: fields.map(({ ref }) => ref), title: this.name, newId });
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
