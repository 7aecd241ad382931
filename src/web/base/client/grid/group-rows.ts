import { h } from "../dom.ts";
import type { RowGeometry, RowGroup, ShownGroup, StickyGroup } from "./row-geometry.ts";
import type { RowRenderOptions } from "./row-element.ts";

/** Renders the one cell of a group row, which may have content. */
export type DrawGroup<Row> = (
  cell: HTMLElement,
  shown: ShownGroup<RowGroup>,
  renderOptions: RowRenderOptions<Row>,
) => void;

export interface GroupRowsDrawing<Row> {
  readonly geometry: RowGeometry | null;
  readonly groups: readonly ShownGroup<RowGroup>[];
  readonly sticky: readonly StickyGroup<RowGroup>[];
  readonly renderOptions: RowRenderOptions<Row>;
  /** Offset of a group row inside the body. */
  readonly placeOf: (top: number) => number;
  /** The element of the first row after a group row that is rendered. */
  readonly rowElement: (row: number) => HTMLElement | undefined;
  readonly body: HTMLElement;
}

interface GroupRow {
  readonly element: HTMLElement;
  readonly cell: HTMLElement;
}

/** The rows of groups between the rows, and their copies below the column headers. */
export class GroupRows<Row> {
  /** Copies of group rows above the view, for the eyes and pointers. */
  readonly sticky = h("div", { class: "sticky-groups", "aria-hidden": "true" });
  readonly #drawGroup: DrawGroup<Row>;
  readonly #rows = new Map<string, GroupRow>();
  readonly #copies = new Map<string, GroupRow>();

  constructor(drawGroup: DrawGroup<Row>) {
    this.#drawGroup = drawGroup;
  }

  /** The button of a group row; undefined when it is not rendered. */
  buttonOf(key: string): HTMLElement | undefined {
    return this.#rows.get(key)?.cell.querySelector("button") ?? undefined;
  }

  /** The key of the group whose row, or a copy of it, contains an element. */
  keyOf(target: EventTarget | null): string | undefined {
    if (!(target instanceof Node)) return undefined;
    const all = [...this.#rows, ...this.#copies];
    return all.find(([, { element }]) => element.contains(target))?.[0];
  }

  draw(drawing: GroupRowsDrawing<Row>): void {
    const { geometry, groups, sticky, placeOf, body, rowElement } = drawing;
    const focused = this.keyOf(document.activeElement);
    const kept = focused === undefined ? undefined : geometry?.find(focused);
    // The focused row stays rendered, or the focus would be lost.
    const shown = kept && !groups.some(({ group }) => group.key === focused) ? [...groups, kept] : groups;
    removeOthers(this.#rows, new Set(shown.map(({ group }) => group.key)));
    for (const each of shown) {
      const row = this.#rowOf(this.#rows, each, drawing);
      row.element.setAttribute("aria-rowindex", String(each.line + 2));
      row.element.style.transform = `translateY(${placeOf(each.top)}px)`;
      const next = rowElement(each.row) ?? null;
      // Moving the focused row would make it lose the focus.
      if (!row.element.isConnected || (next && row.element.nextSibling !== next && each.group.key !== focused))
        body.insertBefore(row.element, next);
    }
    removeOthers(this.#copies, new Set(sticky.map(({ shown: { group } }) => group.key)));
    for (const { shown: each, offset } of sticky) {
      const { element } = this.#rowOf(this.#copies, each, drawing);
      element.style.transform = `translateY(${offset}px)`;
      if (!element.isConnected) this.sticky.append(element);
    }
  }

  #rowOf(rows: Map<string, GroupRow>, shown: ShownGroup<RowGroup>, { renderOptions }: GroupRowsDrawing<Row>): GroupRow {
    const { key, level } = shown.group;
    let row = rows.get(key);
    if (!row) {
      const isCopy = rows === this.#copies;
      const cell = h("div", {
        role: isCopy ? null : "gridcell",
        class: "group-cell",
        "aria-colindex": isCopy ? null : 1,
      });
      row = { cell, element: h("div", { role: isCopy ? null : "row", class: `group-row level-${level}` }, cell) };
      rows.set(key, row);
    }
    const { columnLayout, headerWidth, columns } = renderOptions;
    row.element.style.width = `${headerWidth + columnLayout.width}px`;
    if (rows === this.#rows) row.cell.setAttribute("aria-colspan", String(columns.length + 1));
    this.#drawGroup(row.cell, shown, renderOptions);
    return row;
  }
}

function removeOthers(rows: Map<string, GroupRow>, keys: ReadonlySet<string>): void {
  for (const [key, { element }] of rows) {
    if (keys.has(key)) continue;
    element.remove();
    rows.delete(key);
  }
}
