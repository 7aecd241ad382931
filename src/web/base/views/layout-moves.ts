/** Rearranges the boxes of a page. Boxes stack their children and set them side by side in turns, beginning with a stack. */
import type { LayoutBox } from "./box-layout.ts";

export const DIRECTIONS = ["left", "right", "up", "down"] as const;
export type Direction = (typeof DIRECTIONS)[number];

type Axis = "x" | "y";

const axisOf = (direction: Direction): Axis => (direction === "left" || direction === "right" ? "x" : "y");
const isForward = (direction: Direction): boolean => direction === "right" || direction === "down";
const axisAt = (depth: number): Axis => (depth % 2 === 0 ? "y" : "x");

/** Share of its siblings' room that a box gains or loses. */
const STEP = 0.1;
/** No box gets less of the room. */
const MIN_SHARE = 0.1;

/** Moves a section one step. Returns null if there is nothing on that side. */
export function moveLeaf(root: LayoutBox, leaf: number, direction: Direction): LayoutBox | null {
  const path = pathTo(root, leaf);
  if (path === null) return null;
  const axis = axisOf(direction);
  const parent = path.slice(0, -1);
  const at = path.at(-1) ?? 0;
  const siblings = boxAt(root, parent).children ?? [];
  if (axisAt(parent.length) === axis) {
    const other = at + (isForward(direction) ? 1 : -1);
    if (siblings[other]) return normalize(changeAt(root, parent, (box) => swap(box, at, other)));
    return parent.length < 2 ? null : moveOut(root, leaf, { box: parent.slice(0, -1), direction });
  }
  if (parent.length > 0) return moveOut(root, leaf, { box: parent, direction });
  // Sections below each other are put side by side.
  const neighbour = siblings[at - 1] ?? siblings[at + 1];
  return neighbour ? placeBeside(root, leaf, { target: firstLeaf(neighbour), direction, wholeRow: true }) : null;
}

/** Puts a section before or after a box that contains it. */
function moveOut(
  root: LayoutBox,
  leaf: number,
  { box, direction }: { readonly box: readonly number[]; readonly direction: Direction },
): LayoutBox {
  const parent = box.slice(0, -1);
  const at = (box.at(-1) ?? 0) + (isForward(direction) ? 1 : 0);
  const removed = changeAt(root, pathTo(root, leaf)?.slice(0, -1) ?? [], (from) => without(from, leaf));
  return normalize(changeAt(removed, parent, (into) => insert(into, leaf, at)));
}

export interface DropTarget {
  readonly target: number;
  /** The side of the target. */
  readonly direction: Direction;
  /** Beside the row that contains the target, if there is one. */
  readonly wholeRow?: boolean;
}

/** Puts a section beside another one. */
export function placeBeside(
  root: LayoutBox,
  leaf: number,
  { target, direction, wholeRow }: DropTarget,
): LayoutBox | null {
  if (leaf === target) return null;
  const from = pathTo(root, leaf);
  if (from === null) return null;
  const removed = changeAt(root, from.slice(0, -1), (box) => without(box, leaf));
  const path = pathTo(removed, target);
  if (path === null) return null;
  const axis = axisOf(direction);
  const ends = wholeRow === true ? path.length === 1 : axisAt(path.length - 1) !== axis;
  if (wholeRow === true && path.length > 1) {
    const row = path.slice(0, 1);
    const length = boxAt(removed, row).children?.length ?? 0;
    return normalize(changeAt(removed, row, (box) => insert(box, leaf, isForward(direction) ? length : 0)));
  }
  if (!ends) {
    const at = (path.at(-1) ?? 0) + (isForward(direction) ? 1 : 0);
    return normalize(changeAt(removed, path.slice(0, -1), (box) => insert(box, leaf, at)));
  }
  const wrap = (box: LayoutBox): LayoutBox => {
    const pair = [
      { ...box, size: 100 },
      { leaf, size: 100 },
    ];
    return { children: isForward(direction) ? pair : pair.toReversed(), size: box.size };
  };
  return normalize(changeAt(removed, path, wrap));
}

/** Gives a section more or less room. Returns null if it has no neighbours along the axis, or has all or least of it. */
export function resizeLeaf(root: LayoutBox, leaf: number, axis: Axis, change: 1 | -1): LayoutBox | null {
  const path = pathTo(root, leaf);
  if (path === null) return null;
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const parent = path.slice(0, depth);
    const children = boxAt(root, parent).children ?? [];
    if (axisAt(depth) !== axis || children.length < 2) continue;
    return resizeChild(root, parent, { at: path[depth] ?? 0, change });
  }
  return null;
}

function resizeChild(
  root: LayoutBox,
  parent: readonly number[],
  { at, change }: { readonly at: number; readonly change: 1 | -1 },
): LayoutBox | null {
  const children = boxAt(root, parent).children ?? [];
  const total = children.reduce((sum, { size }) => sum + size, 0);
  const own = children[at]?.size ?? 0;
  const wanted = own + change * STEP * total;
  const rest = total - own;
  const smallest = Math.min(...children.filter((_, index) => index !== at).map(({ size }) => size));
  const factor = (total - wanted) / rest;
  if (wanted < MIN_SHARE * total || smallest * factor < MIN_SHARE * total) return null;
  const round = (size: number): number => Math.round(size * 100) / 100;
  return changeAt(root, parent, (box) => ({
    ...box,
    children: children.map((child, index) => ({ ...child, size: round(index === at ? wanted : child.size * factor) })),
  }));
}

/** Returns the positions that lead to a section; null if it is not in the box. */
function pathTo(box: LayoutBox, leaf: number): number[] | null {
  for (const [at, child] of (box.children ?? []).entries()) {
    if (child.leaf === leaf) return [at];
    const path = pathTo(child, leaf);
    if (path) return [at, ...path];
  }
  return null;
}

const EMPTY: LayoutBox = { children: [], size: 100 };

const boxAt = (root: LayoutBox, path: readonly number[]): LayoutBox =>
  path.reduce((box, at) => box.children?.[at] ?? EMPTY, root);

function changeAt(root: LayoutBox, path: readonly number[], change: (box: LayoutBox) => LayoutBox): LayoutBox {
  const [at, ...rest] = path;
  if (at === undefined) return change(root);
  const children = (root.children ?? []).map((child, index) => (index === at ? changeAt(child, rest, change) : child));
  return { ...root, children };
}

const firstLeaf = (box: LayoutBox): number => box.leaf ?? firstLeaf(box.children?.[0] ?? { leaf: 0, size: 100 });

/** Leaves an empty box in place, so that positions stay the same until the layout is normalized. */
const without = (box: LayoutBox, leaf: number): LayoutBox => ({
  ...box,
  children: (box.children ?? []).map((child) => (child.leaf === leaf ? EMPTY : child)),
});

function insert(box: LayoutBox, leaf: number, at: number): LayoutBox {
  const children = box.children ?? [];
  const kept = children.filter((child) => !isEmpty(child));
  const size = kept.length === 0 ? 100 : kept.reduce((sum, each) => sum + each.size, 0) / kept.length;
  return { ...box, children: [...children.slice(0, at), { leaf, size }, ...children.slice(at)] };
}

/** The room stays with the positions. */
function swap(box: LayoutBox, at: number, other: number): LayoutBox {
  const children = [...(box.children ?? [])];
  const [one, two] = [children[at], children[other]];
  if (one && two) {
    children[at] = { ...two, size: one.size };
    children[other] = { ...one, size: two.size };
  }
  return { ...box, children };
}

const isEmpty = ({ leaf, children = [] }: LayoutBox): boolean => leaf === undefined && children.every(isEmpty);

/** Removes empty boxes, and those around one child only. The root stays. */
export function normalize(root: LayoutBox): LayoutBox {
  return { ...root, children: (root.children ?? []).flatMap(simplify) };
}

function simplify(box: LayoutBox): LayoutBox[] {
  if (box.leaf !== undefined) return [box];
  const children = (box.children ?? []).flatMap(simplify);
  const [only] = children;
  if (!only) return [];
  if (children.length > 1) return [{ ...box, children }];
  if (only.leaf !== undefined) return [{ ...only, size: box.size }];
  // Its children are arranged as the siblings of the box.
  const inner = only.children ?? [];
  const total = inner.reduce((sum, { size }) => sum + size, 0);
  return inner.map((each) => ({ ...each, size: (each.size / total) * box.size }));
}
