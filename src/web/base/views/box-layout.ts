/**
 * Layouts of pages and cards: a tree of boxes, stored as JSON. The root stacks its children, theirs are side by side, and
 * so on alternately. Leaves are sections of a page, or fields of a card, by their row ids.
 */
import { jsonObject, listOf, objectOf } from "./metadata-values.ts";

export interface LayoutBox {
  /** Row id of the section or field; undefined in boxes that have children. */
  readonly leaf?: number;
  readonly children?: readonly LayoutBox[];
  /** Share of the room, relative to its siblings. */
  readonly size: number;
}

export interface BoxLayout {
  readonly root: LayoutBox;
  /** Leaves that are folded into the tray. */
  readonly collapsed: readonly number[];
}

export const DEFAULT_SIZE = 100;
/** Boxes that are deeper are ignored. */
export const MAX_DEPTH = 20;

/**
 * Returns a stored layout for the leaves that exist. Others are left out; leaves that it does not mention are added:
 * beside the last row if that is a single leaf, else in a new row.
 */
export function parseBoxLayout(layoutSpec: string, leaves: readonly number[]): BoxLayout {
  const known = new Set(leaves);
  const used = new Set<number>();
  const take = (value: unknown): number | null => {
    const leaf = Number(value);
    if (!known.has(leaf) || used.has(leaf)) return null;
    used.add(leaf);
    return leaf;
  };
  const stored = jsonObject(layoutSpec);
  const collapsed = listOf(stored["collapsed"]).flatMap((box) => take(objectOf(box)["leaf"]) ?? []);
  const rows = listOf(stored["children"]).flatMap((box) => parseBox(objectOf(box), take, 1) ?? []);
  if (stored["leaf"] !== undefined) rows.push(...[take(stored["leaf"])].flatMap((leaf) => leafBox(leaf) ?? []));
  for (const leaf of leaves) if (!used.has(leaf)) addLeaf(rows, leaf);
  return { root: { children: rows, size: DEFAULT_SIZE }, collapsed };
}

/** Returns null for boxes in which nothing exists. */
function parseBox(
  box: Readonly<Record<string, unknown>>,
  take: (value: unknown) => number | null,
  depth: number,
): LayoutBox | null {
  const size = typeof box["size"] === "number" && box["size"] > 0 ? box["size"] : DEFAULT_SIZE;
  if (box["leaf"] !== undefined) {
    const leaf = take(box["leaf"]);
    return leaf === null ? null : { leaf, size };
  }
  if (depth >= MAX_DEPTH) return null;
  const children = listOf(box["children"]).flatMap((child) => parseBox(objectOf(child), take, depth + 1) ?? []);
  return children.length === 0 ? null : { children, size };
}

function addLeaf(rows: LayoutBox[], leaf: number): void {
  const last = rows.at(-1);
  const added = { leaf, size: DEFAULT_SIZE };
  if (last?.leaf === undefined) rows.push(added);
  else rows[rows.length - 1] = { children: [{ ...last, size: DEFAULT_SIZE }, added], size: last.size };
}

const leafBox = (leaf: number | null): LayoutBox | null => (leaf === null ? null : { leaf, size: DEFAULT_SIZE });

/** Returns the stored form of a layout. Sizes that are the default are left out. */
export function formatBoxLayout({ root, collapsed }: BoxLayout): string {
  const format = ({ leaf, children, size }: LayoutBox): Record<string, unknown> => ({
    ...(leaf === undefined ? { children: (children ?? []).map(format) } : { leaf }),
    ...(size !== DEFAULT_SIZE && { size }),
  });
  return JSON.stringify({
    ...format(root),
    ...(collapsed.length > 0 && { collapsed: collapsed.map((leaf) => ({ leaf })) }),
  });
}

/** Returns the leaves of a box, in their order. */
export const leavesOf = ({ leaf, children = [] }: LayoutBox): number[] =>
  leaf === undefined ? children.flatMap(leavesOf) : [leaf];
