/** What can be done with the boxes of a form: by buttons, menus, keys and dragging. */
import { announce } from "../../../base/client/announce.ts";
import type { MenuItem } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import type { LabelKey } from "../../../texts/texts.ts";
import type { IconName } from "../../../base/icons.ts";
import {
  boxAt,
  type BoxMove,
  type BoxPath,
  type BoxPlace,
  childrenOf,
  type FormBox,
  insertBox,
  moveBox,
  movesOf,
  placeholderBox,
  placeForNew,
} from "../../../base/views/form-layout.ts";
import { askForColumn, askNewQuestion, type NewQuestion, changeField, removeFromForm, storeLayout } from "../edits.ts";
import { optionValue } from "../field-options.ts";
import type { FormColumn } from "../form-data.ts";
import { randomUuid } from "../../../base/client/random-uuid.ts";
import { boxInSentence, boxName, fieldOf, kindOf } from "./box-names.ts";
import type { BoxKey, Builder } from "./builder.ts";

const MOVES: readonly { move: BoxMove; label: LabelKey; icon: IconName; shortcut: string }[] = [
  { move: "back", label: "formBuilder.move.up", icon: "arrow-up", shortcut: "Alt+Shift+ArrowUp" },
  { move: "on", label: "formBuilder.move.down", icon: "arrow-down", shortcut: "Alt+Shift+ArrowDown" },
  { move: "in", label: "formBuilder.move.in", icon: "arrow-right", shortcut: "Alt+Shift+ArrowRight" },
  { move: "out", label: "formBuilder.move.out", icon: "arrow-left", shortcut: "Alt+Shift+ArrowLeft" },
];

/** Columns beside each other move left and right. */
const SIDEWAYS = { back: "formBuilder.move.left", on: "formBuilder.move.right" } as const satisfies Partial<
  Record<BoxMove, LabelKey>
>;

const CANNOT_MOVE = {
  back: "formBuilder.move.isFirst",
  on: "formBuilder.move.isLast",
  in: "formBuilder.move.noContainer",
  out: "formBuilder.move.notInside",
} as const satisfies Record<BoxMove, LabelKey>;

export interface BoxCommandsOptions {
  readonly builder: Builder;
  /** Shows the settings of a box. */
  readonly openPanel: (key: BoxKey) => void;
  readonly focus: (key: BoxKey | null) => void;
}

/** A new column gets fields in up to two sections of its table, before the form gets its own. */
const FIELDS_OF_NEW_COLUMN = 2;

/** A place that is known only when former edits are stored. */
type FindPlace = (root: FormBox, box: FormBox) => BoxPlace | null;

export class BoxCommands {
  readonly #builder: Builder;
  readonly #openPanel: (key: BoxKey) => void;
  readonly #focus: (key: BoxKey | null) => void;

  constructor({ builder, openPanel, focus }: BoxCommandsOptions) {
    this.#builder = builder;
    this.#openPanel = openPanel;
    this.#focus = focus;
  }

  open(key: BoxKey): void {
    this.#builder.select(key);
    this.#openPanel(key);
  }

  moves(key: BoxKey): MenuItem[] {
    const { root } = this.#builder;
    const path = this.#builder.pathOf(key) ?? [];
    const possible = movesOf(root, path);
    const isSideways = boxAt(root, path.slice(0, -1))?.type === "Columns";
    return MOVES.map(({ move, label, icon, shortcut }) => ({
      label: t(isSideways && (move === "back" || move === "on") ? SIDEWAYS[move] : label),
      icon,
      shortcut,
      unavailable: possible[move] ? undefined : t(CANNOT_MOVE[move]),
      run: () => this.move(key, move),
    }));
  }

  items(key: BoxKey): MenuItem[] {
    const { root, form } = this.#builder;
    const box = boxAt(root, this.#builder.pathOf(key) ?? []);
    if (!box) return [];
    const edit: MenuItem = { label: t("formBuilder.edit"), icon: "pencil", run: () => this.open(key) };
    const kind = kindOf(form, box);
    if (kind === "submit") return [edit];
    const field = fieldOf(form, box);
    const isRequired = field !== null && optionValue(form, field, "formRequired") === true;
    const required: MenuItem = {
      label: t(isRequired ? "formBuilder.makeOptional" : "formBuilder.makeRequired"),
      icon: "asterisk",
      run: () => void this.#builder.edit(() => (field ? changeField(form, field, { formRequired: !isRequired }) : [])),
    };
    const canOpen = kind === "question" || kind === "text" || kind === "line";
    const addColumn: MenuItem = {
      label: t("formBuilder.addColumn"),
      icon: "columns-3",
      run: () => void this.addBox(placeholderBox(randomUuid), () => this.#endOf(key)),
    };
    return [
      ...(canOpen ? [edit] : []),
      ...(kind === "columns" ? [addColumn] : []),
      ...(field ? [required] : []),
      {
        label: t("formBuilder.remove"),
        icon: "trash-2",
        shortcut: "Delete",
        isDangerous: true,
        run: () => void this.remove(key),
      },
    ];
  }

  move(key: BoxKey, move: BoxMove): void {
    const { root } = this.#builder;
    const isPossible = movesOf(root, this.#builder.pathOf(key) ?? [])[move] !== undefined;
    // Said, since nothing else shows that a key had no effect.
    if (!isPossible && !this.#builder.changes.isBusy) return announce(t(CANNOT_MOVE[move]));
    void this.moveTo(key, (now, path) => movesOf(now, path)[move] ?? null);
  }

  /** Moves a box to a place that is determined when former edits are stored. */
  async moveTo(key: BoxKey, findPlace: (root: FormBox, path: BoxPath) => BoxPlace | null): Promise<void> {
    let name = "";
    const isDone = await this.#builder.edit(() => {
      const { root, form } = this.#builder;
      const path = this.#builder.pathOf(key);
      const place = path && findPlace(root, path);
      const box = path && boxAt(root, path);
      if (!place || !box) return [];
      name = boxName(form, box);
      const moved = moveBox(root, path, place);
      return moved === root ? [] : [storeLayout(form, moved)];
    });
    if (isDone && name !== "") announce(t("formBuilder.moved", { name }), "form move");
  }

  /** @param options.keepsFocus whether the focus stays where it is; else it goes to the next box */
  async remove(key: BoxKey, { keepsFocus = false } = {}): Promise<void> {
    const { root, form } = this.#builder;
    const path = this.#builder.pathOf(key);
    const box = path && boxAt(root, path);
    if (!box || path.length === 0 || box.type === "Submit") return;
    const name = boxInSentence(form, box);
    const siblingKey = (distance: number) =>
      this.#builder.keyOf([...path.slice(0, -1), Math.max(0, (path.at(-1) ?? 0) + distance)]);
    const next = this.#builder.pathOf(siblingKey(1)) ? siblingKey(1) : siblingKey(-1);
    const isDone = await this.#builder.edit(
      () => {
        const { form: now, root: layout } = this.#builder;
        const place = this.#builder.pathOf(key);
        return place ? removeFromForm(now, { root: layout, path: place, newId: randomUuid }) : [];
      },
      { toast: () => t.rich("formBuilder.removed", { name }) },
    );
    if (isDone && !keepsFocus) this.#focus(next);
  }

  /** Adds a box that is no question. */
  async addBox(box: FormBox, findPlace: FindPlace = this.#placeForNew): Promise<void> {
    const isDone = await this.#builder.edit(
      () => {
        const { root, form } = this.#builder;
        const place = findPlace(root, box);
        return place ? [storeLayout(form, insertBox(root, place, box))] : [];
      },
      { toast: () => t.rich("formBuilder.added", { name: boxInSentence(this.#builder.form, box) }) },
    );
    if (!isDone) return;
    const key = `id ${String(box.id)}`;
    this.#builder.select(key);
    if (box.type === "Paragraph" && kindOf(this.#builder.form, box) === "text") this.#openPanel(key);
    else this.#focus(key);
  }

  /** Asks for a column of the table. */
  async addColumn(column: FormColumn, findPlace: FindPlace = this.#placeForNew): Promise<boolean> {
    const id = randomUuid();
    const isDone = await this.#builder.edit(
      async () => {
        const { nextField } = await this.#builder.nextIds();
        const { root, form } = this.#builder;
        const place = findPlace(root, { type: "Field" });
        return place ? askForColumn(form, column.ref, { root, place, newId: () => id, nextField }) : [];
      },
      { toast: () => t.rich("formBuilder.added", { name: this.#nameOf(id) }) },
    );
    if (isDone) this.#builder.select(`id ${id}`);
    return isDone;
  }

  /** Adds a column to the table, and asks for it. Resolves to false after a failure, which `problem` shows. */
  async addQuestion(question: Pick<NewQuestion, "label" | "type" | "choices">, problem: HTMLElement): Promise<boolean> {
    const id = randomUuid();
    let expected = 0;
    const isDone = await this.#builder.edit(
      async () => {
        const { nextColumn, nextField } = await this.#builder.nextIds();
        const { root, form } = this.#builder;
        const place = this.#placeForNew(root, { type: "Field" });
        expected = nextColumn;
        const ids = { nextColumn, nextField: nextField + FIELDS_OF_NEW_COLUMN };
        return askNewQuestion(form, { ...question, ...ids }, { root, place, newId: () => id });
      },
      {
        problem,
        // Another person may have added a column meanwhile.
        isExpected: ([column]) => (column as { colRef?: unknown } | null)?.colRef === expected,
        toast: () => t.rich("formBuilder.added", { name: this.#nameOf(id) }),
      },
    );
    if (isDone) this.open(`id ${id}`);
    return isDone;
  }

  /** After the last column, and not in place of an empty one. */
  #endOf(key: BoxKey): BoxPlace | null {
    const parent = this.#builder.pathOf(key);
    const columns = parent && boxAt(this.#builder.root, parent);
    return columns && { parent, index: childrenOf(columns).length };
  }

  readonly #placeForNew = (root: FormBox, box: FormBox): BoxPlace => placeForNew(root, box, this.#builder.selected);

  #nameOf(id: string): Node {
    const path = this.#builder.pathOf(`id ${id}`);
    const box = path && boxAt(this.#builder.root, path);
    return box ? boxInSentence(this.#builder.form, box) : document.createTextNode(t("formBuilder.kind.question"));
  }
}
