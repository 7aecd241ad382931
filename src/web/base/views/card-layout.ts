/** The layout of a card, and edits of it. Rows of the layout stack; the boxes of a row are side by side, and so on alternately. */
import { type BoxLayout, type LayoutBox, leavesOf, parseBoxLayout } from "./box-layout.ts";
import { withJsonKeys } from "./metadata-values.ts";
import type { SectionField } from "./section-data.ts";

export const LAYOUT_EDITS = ["moveUp", "moveDown", "beside", "below", "wider", "narrower"] as const;
export type LayoutEdit = (typeof LAYOUT_EDITS)[number];

const DEFAULT_SIZE = 100;
const WIDER = 1.25;
/** Of the mean size of the boxes in a row. */
const SHARES = { min: 0.25, max: 4 } as const;

/** Returns the layout of a card, which shows all of its fields: on cards, none is folded. */
export function parseCardLayout(layoutSpec: string, fields: readonly Pick<SectionField, "ref">[]): BoxLayout {
  const leaves = fields.map(({ ref }) => ref);
  return parseBoxLayout(withJsonKeys(layoutSpec, { collapsed: undefined }), leaves);
}

/** Returns the layout after an edit of a field; null when the edit would change nothing. */
export function editLayout(root: LayoutBox, field: number, edit: LayoutEdit): LayoutBox | null {
  const path = pathOf(root, field);
  if (!path) return null;
  switch (edit) {
    case "moveUp":
      return exchange(root, field, -1);
    case "moveDown":
      return exchange(root, field, 1);
    case "beside":
      return moveBeside(root, field);
    case "below":
      return moveBelow(root, path, field);
    case "wider":
      return resize(root, path, WIDER);
    case "narrower":
      return resize(root, path, 1 / WIDER);
    default:
      return edit satisfies never;
  }
}

/** Returns the layout without a field. */
export const withoutField = (root: LayoutBox, field: number): LayoutBox => ({
  ...root,
  children: childrenWithout(root, field),
});

/** Exchanges a field with its neighbour in the order of the fields; their boxes keep their places and sizes. */
function exchange(root: LayoutBox, field: number, step: 1 | -1): LayoutBox | null {
  const leaves = leavesOf(root);
  const other = leaves[leaves.indexOf(field) + step];
  if (other === undefined) return null;
  const replace = (box: LayoutBox): LayoutBox => {
    if (box.leaf === field) return { ...box, leaf: other };
    if (box.leaf === other) return { ...box, leaf: field };
    return box.children ? { ...box, children: box.children.map(replace) } : box;
  };
  return replace(root);
}

/** Moves a field to the right of the one before it. */
function moveBeside(root: LayoutBox, field: number): LayoutBox | null {
  const leaves = leavesOf(root);
  const before = leaves[leaves.indexOf(field) - 1];
  if (before === undefined) return null;
  const [own, other] = [pathOf(root, field), pathOf(root, before)];
  // They are neighbours in a row already.
  if (own && other && isRow(own) && own.length === other.length && own.slice(0, -1).every((at, i) => at === other[i]))
    return null;
  const added = { leaf: field, size: DEFAULT_SIZE };
  const insert = (box: LayoutBox, depth: number): LayoutBox => ({
    ...box,
    children: (box.children ?? []).flatMap((child): LayoutBox[] => {
      if (child.leaf !== before) return child.children ? [insert(child, depth + 1)] : [child];
      if (depth % 2 === 1) return [child, added];
      return [{ children: [{ leaf: before, size: DEFAULT_SIZE }, added], size: child.size }];
    }),
  });
  return insert(withoutField(root, field), 0);
}

/** Moves a field out of its row, or out of its column, to a line of its own. */
function moveBelow(root: LayoutBox, path: readonly number[], field: number): LayoutBox | null {
  if (path.length < 2) return null;
  // The innermost stack that the field can leave its row for.
  const stack = path.slice(0, isRow(path) ? -2 : -3);
  const at = path[stack.length] ?? 0;
  const insert = (box: LayoutBox, [next, ...rest]: readonly number[]): LayoutBox => {
    const children = box.children ?? [];
    if (next !== undefined) return { ...box, children: children.with(next, insert(children[next] ?? box, rest)) };
    const changed = children.flatMap((child, index): LayoutBox[] =>
      index === at ? [...reduced(child, field), { leaf: field, size: DEFAULT_SIZE }] : [child],
    );
    return { ...box, children: changed };
  };
  return insert(root, stack);
}

/** Resizes the field, or the column that contains it, relative to the boxes beside it, whatever unit their sizes have. */
function resize(root: LayoutBox, path: readonly number[], factor: number): LayoutBox | null {
  const column = isRow(path) ? path : path.slice(0, -1);
  if (column.length === 0) return null;
  let isPossible = false;
  const change = (box: LayoutBox, [next = 0, ...rest]: readonly number[]): LayoutBox => {
    const children = box.children ?? [];
    const child = children[next];
    if (!child) return box;
    if (rest.length > 0) return { ...box, children: children.with(next, change(child, rest)) };
    const others = children.filter((each) => each !== child);
    const mean = others.reduce((sum, { size }) => sum + size, 0) / Math.max(1, others.length);
    const size = rounded(child.size * factor);
    isPossible = others.length > 0 && size / mean >= SHARES.min && size / mean <= SHARES.max;
    return { ...box, children: children.with(next, { ...child, size }) };
  };
  const changed = change(root, column);
  return isPossible ? changed : null;
}

const rounded = (size: number): number => Number(size.toPrecision(4));

/** Whether a field continues the line of the one before it. */
export function isBeside(root: LayoutBox, field: number): boolean {
  const path = pathOf(root, field);
  return path !== null && isRow(path) && (path.at(-1) ?? 0) > 0;
}

/** True for the path of a box that has others beside it: the root stacks its children. */
const isRow = (path: readonly number[]): boolean => path.length % 2 === 0;

/** Returns the indices that lead to a leaf; null for none. */
function pathOf({ children = [] }: LayoutBox, leaf: number): number[] | null {
  for (const [at, child] of children.entries()) {
    if (child.leaf === leaf) return [at];
    const inside = pathOf(child, leaf);
    if (inside) return [at, ...inside];
  }
  return null;
}

const childrenWithout = ({ children = [] }: LayoutBox, leaf: number): LayoutBox[] =>
  children.flatMap((child) => reduced(child, leaf));

/**
 * Returns what remains of a box without a leaf: a box with a single child is replaced by that, or by its children, which
 * are arranged like those around the box.
 */
function reduced(box: LayoutBox, leaf: number): LayoutBox[] {
  if (box.leaf !== undefined) return box.leaf === leaf ? [] : [box];
  const before = box.children ?? [];
  if (!leavesOf(box).includes(leaf)) return [box];
  const children = childrenWithout(box, leaf);
  const [only] = children;
  if (!only) return [];
  if (children.length > 1 || before.length === 1) return [{ ...box, children }];
  return only.leaf === undefined ? [...(only.children ?? [])] : [{ leaf: only.leaf, size: box.size }];
}
