/** A list whose entries are ordered by dragging their grips, by Alt+Shift+arrows, or by the menu of a grip. */
import { type Child, h, icon, replaceChildren } from "../../../../../base/client/dom.ts";
import { openMenu } from "../../../../../base/client/menu.ts";
import { t } from "../../../../../base/client/texts.ts";

export interface OrderedEntry {
  readonly id: string;
  /** Its text for screen readers. */
  readonly label: string;
  readonly content: readonly Child[];
}

export interface OrderedListOptions {
  readonly label: string;
  /** Moves an entry to the place of another one. */
  readonly move: (from: number, to: number) => void;
}

export interface OrderedList {
  readonly element: HTMLElement;
  /** Shows other entries; the focus stays at its control. */
  readonly show: (entries: readonly OrderedEntry[]) => void;
}

/** Shorter movements are clicks. */
const DRAG_PX = 4;

export function orderedList({ label, move }: OrderedListOptions): OrderedList {
  const element = h("ol", { class: "ordered-list", "aria-label": label });
  let shown: readonly OrderedEntry[] = [];
  const moveBy = (id: string, by: number): void => {
    const from = shown.findIndex((each) => each.id === id);
    const to = from + by;
    if (to < 0 || to >= shown.length) return;
    move(from, to);
    element.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] .grip`)?.focus();
  };
  element.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    const entry = (event.target as Element).closest<HTMLElement>("[data-id]");
    if (by === 0 || !event.altKey || !event.shiftKey || !entry) return;
    event.preventDefault();
    moveBy(entry.dataset["id"] ?? "", by);
  });
  const openGripMenu = (grip: HTMLElement, id: string): void => {
    const at = shown.findIndex((each) => each.id === id);
    openMenu(grip, [
      ...(at > 0 ? [{ label: t("table.list.up"), icon: "arrow-up" as const, run: () => moveBy(id, -1) }] : []),
      ...(at < shown.length - 1
        ? [{ label: t("table.list.down"), icon: "arrow-down" as const, run: () => moveBy(id, 1) }]
        : []),
      ...(at > 0 ? [{ label: t("table.list.first"), run: () => moveBy(id, -at) }] : []),
    ]);
  };
  const gripOf = ({ id, label: name }: OrderedEntry): HTMLElement => {
    const grip = h(
      "button",
      {
        type: "button",
        class: "bare grip",
        "aria-label": t("table.list.move", { entry: name }),
        "aria-haspopup": "menu",
        "aria-keyshortcuts": "Alt+Shift+ArrowUp Alt+Shift+ArrowDown",
      },
      icon("grip-vertical"),
    );
    let hasMoved = false;
    grip.addEventListener("click", () => {
      if (!hasMoved && shown.length > 1) openGripMenu(grip, id);
    });
    grip.addEventListener("pointerdown", (event) => {
      hasMoved = false;
      if (event.button !== 0) return;
      drag(event, element, {
        started: () => (hasMoved = true),
        over: (to) => {
          const from = shown.findIndex((each) => each.id === id);
          if (from !== to) move(from, to);
        },
      });
    });
    return grip;
  };
  const show = (entries: readonly OrderedEntry[]): void => {
    const active = document.activeElement;
    const id = active?.closest<HTMLElement>(".ordered-list [data-id]")?.dataset["id"];
    const controls = "button, select, input";
    const entryOf = (wanted: string): HTMLElement | null =>
      element.querySelector<HTMLElement>(`[data-id="${CSS.escape(wanted)}"]`);
    const at = id === undefined ? -1 : [...(entryOf(id)?.querySelectorAll(controls) ?? [])].indexOf(active as Element);
    shown = entries;
    replaceChildren(
      element,
      ...entries.map((entry) => h("li", { "data-id": entry.id }, gripOf(entry), ...entry.content)),
    );
    if (id !== undefined && at >= 0) entryOf(id)?.querySelectorAll<HTMLElement>(controls)[at]?.focus();
  };
  return { element, show };
}

interface DragEvents {
  readonly started: () => void;
  /** The pointer is over another entry. */
  readonly over: (to: number) => void;
}

function drag(event: PointerEvent, list: HTMLElement, { started, over }: DragEvents): void {
  let isDragging = false;
  const move = ({ clientY }: PointerEvent): void => {
    if (!isDragging && Math.abs(clientY - event.clientY) < DRAG_PX) return;
    if (!isDragging) started();
    isDragging = true;
    const entries = [...list.children];
    const to = entries.findIndex((each) => clientY < each.getBoundingClientRect().bottom);
    over(to < 0 ? entries.length - 1 : to);
  };
  const end = (): void => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** Returns a list with one entry at another place. */
export function moved<T>(all: readonly T[], from: number, to: number): T[] {
  const rest = all.filter((_, at) => at !== from);
  const entry = all[from];
  return entry === undefined ? rest : rest.toSpliced(to, 0, entry);
}
