/** Opens a section whose rows are cards: a list of them, or a single one with buttons to the next. */
import type { MenuEntry, MenuItem } from "../../../../base/client/menu.ts";
import { openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import type { SectionData } from "../../../../base/views/section-data.ts";
import { cardTheme } from "../../../../base/views/card-edits.ts";
import { changeRange } from "../../../table/client/commands/range-changes.ts";
import { emptyValue } from "../../../table/client/editors/parse-text.ts";
import { openRowPanel } from "../../../table/client/on-first-use.ts";
import { linkToRow } from "../../../table/client/row-panel/row-address.ts";
import { rowLinkItems } from "../../../table/client/row-panel/row-links.ts";
import { RowCommands } from "../../../table/client/rows/row-commands.ts";
import { Sheet } from "../../../table/client/sheet.ts";
import type { SheetSetup } from "../../../table/client/sheet-setup.ts";
import type { UndoManager } from "../../../table/client/undo-manager.ts";
import { Card } from "./card.ts";
import { nextShape } from "./card-columns.ts";
import { attachCardKeys, type CardCommand } from "./card-keys.ts";
import { attachCardSteps } from "./card-steps.ts";
import { CardView } from "./card-view.ts";
import type { LayoutPanelOptions } from "./layout-panel.ts";

export interface CardsOptions extends SheetSetup {
  readonly changes: UndoManager;
  /** As it is stored now. */
  readonly section: SectionData;
}

export interface OpenedCards {
  readonly sheet: Sheet<CardView>;
  readonly rows: RowCommands;
  /** Opens the panel in which fields are arranged; for people who may change the page. */
  readonly openLayout: () => void;
  /** The metadata of the section has changed. */
  setSection(section: SectionData): void;
}

export function openCards({ changes, section: opened, ...setup }: CardsOptions): OpenedCards {
  let section = opened;
  const isSingle = section.kind === "single";
  const sheet = new Sheet(setup, (grid) => new CardView(grid, { isSingle }));
  const view = sheet.grid;
  changes.onBeforeChange(() => sheet.clearError());
  const rows = new RowCommands(sheet, changes);
  const select = (card: Card) => view.activate({ row: card.index, column: 0 }, { focus: false });
  const menuItems = (card: Card): MenuEntry[] => cardItems(card, { sheet, rows, select });
  let shape: ReturnType<typeof nextShape> | null = null;
  const showTheme = () => {
    view.element.dataset["theme"] = cardTheme(section.theme);
  };
  showTheme();
  view.start({
    createCard: () => new Card({ sheet, changes, scroller: () => view.element, menuItems }),
    shape: () => (shape = nextShape(shape, section, sheet.shown)),
    idOf: (id) => sheet.rowPages.idOf(id),
    mayReturn: (row) => sheet.rowPages.isLoading || sheet.rowPages.indexOf(row.id) >= 0,
  });
  if (isSingle) attachCardSteps(sheet);
  attachCardKeys(view, (command, card) => runCommand(command, card, { sheet, changes, rows, menuItems }));
  view.element.addEventListener("contextmenu", (event) => {
    const card = view.cardOf(event.target);
    // Texts that are edited have the menu of the browser.
    if (!card?.row || card.isEditing) return;
    event.preventDefault();
    select(card);
    openMenu(card.element, menuItems(card), { x: event.clientX, y: event.clientY });
  });
  setup.parts.gridHost.addEventListener("focus", () => view.focus());
  return {
    sheet,
    rows,
    openLayout: () => void openLayoutPanel({ sheet, changes, section: () => section }),
    setSection(next) {
      section = next;
      showTheme();
      sheet.showColumns();
    },
  };
}

/** Loaded on first use. */
async function openLayoutPanel(options: LayoutPanelOptions): Promise<void> {
  try {
    await (await import("./layout-panel.ts")).openLayoutPanel(options);
  } catch (error) {
    options.sheet.showError(error, () => void openLayoutPanel(options));
  }
}

interface CardCommands {
  readonly sheet: Sheet<CardView>;
  readonly changes: UndoManager;
  readonly rows: RowCommands;
  readonly menuItems: (card: Card) => readonly MenuEntry[];
}

function runCommand(command: CardCommand, card: Card, { sheet, changes, rows, menuItems }: CardCommands): void {
  const place = { row: card.index, column: sheet.grid.selection.active.column };
  const isStored = card.index < sheet.rowPages.count;
  const openPanel = () => void (isStored && openRowPanel(card.index, { sheet, changes, rows, isByKeys: true }));
  switch (command) {
    case "enter":
      if (!sheet.canEdit) return openPanel();
      return void card.focusField();
    case "leave":
      return card.element.focus();
    case "openRow":
      return openPanel();
    case "add":
      return void (sheet.canAddRows && rows.addAndEnter());
    case "clear":
      return void (isStored && clearCard(card, { sheet, changes }));
    case "remove":
      if (!isStored) return;
      sheet.grid.activate(place);
      return void rows.remove();
    case "undo":
      return void rows.undo();
    case "redo":
      return void rows.redo();
    case "menu":
      if (card.row && isStored) openMenu(card.element, menuItems(card));
      return;
    default:
      return command satisfies never;
  }
}

/** As in a grid, where Delete clears the cells of selected rows. */
function clearCard({ index }: Card, options: { sheet: Sheet<CardView>; changes: UndoManager }): void {
  const { shown } = options.sheet;
  void changeRange(
    {
      range: { top: index, bottom: index, left: 0, right: shown.length - 1 },
      takes: ({ isEmpty }) => !isEmpty,
      values: (column, cleared) => cleared.map(() => emptyValue(column)),
      asTyped: false,
      message: (count) => t("table.change.cleared", { count }),
    },
    options,
  );
}

interface CardItems {
  readonly sheet: Sheet<CardView>;
  readonly rows: RowCommands;
  readonly select: (card: Card) => void;
}

function cardItems(card: Card, { sheet, rows, select }: CardItems): MenuItem[] {
  const id = card.row ? sheet.rowPages.idOf(card.row.id) : null;
  const { docId, table } = sheet;
  const onCard = (run: () => Promise<void>) => () => {
    select(card);
    void run();
  };
  return [
    ...rowLinkItems({ docId, table, id, address: () => linkToRow(sheet, id) }),
    ...(sheet.canEdit && !sheet.isSummary
      ? [
          {
            label: t("table.row.duplicate", { count: 1 }),
            icon: "copy" as const,
            run: onCard(() => rows.duplicate()),
            startsGroup: true,
          },
          {
            label: t("table.row.delete", { count: 1 }),
            icon: "trash-2" as const,
            isDangerous: true,
            shortcut: "Ctrl+Delete",
            run: onCard(() => rows.remove()),
          },
        ]
      : []),
  ];
}
