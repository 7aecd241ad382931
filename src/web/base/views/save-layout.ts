/**
 * The action that stores the layout of a page. The reader may not see all sections of the page: the boxes of others stay
 * beside the boxes that they were beside, and keys of other programs are kept.
 */
import type { BoxLayout, LayoutBox } from "./box-layout.ts";
import { DEFAULT_SIZE, leavesOf, MAX_DEPTH } from "./box-layout.ts";
import { jsonObject, listOf, objectOf, withJsonKeys } from "./metadata-values.ts";
import type { EditAction } from "./page-edits.ts";
import type { ViewPageData } from "./view-page-data.ts";

type StoredBox = Readonly<Record<string, unknown>>;

/** A box of the new layout, with what was stored of it. */
interface SavedBox {
  readonly leaf?: number;
  readonly children?: readonly SavedBox[];
  readonly size: number;
  readonly stored: StoredBox;
  /** The box has no section that the reader sees: it is written as it was. */
  readonly isHidden?: boolean;
}

/** A box without visible sections, and the visible sections of the box beside it. */
interface HiddenBox {
  readonly box: SavedBox;
  /** Null if the box was beside hidden ones only. */
  readonly neighbour: readonly number[] | null;
  readonly isAfter: boolean;
  /** The depth of its parent, which tells whether it was beside or below its neighbour. */
  readonly depth: number;
}

/** @param layout has all sections that the reader sees */
export function saveLayout(
  { view, layoutSpec }: Pick<ViewPageData, "view" | "layoutSpec">,
  { root, collapsed }: BoxLayout,
): EditAction[] {
  const shown = new Set([...leavesOf(root), ...collapsed]);
  const stored = jsonObject(layoutSpec);
  const rows = [...listOf(stored["children"]), ...(stored["leaf"] === undefined ? [] : [{ leaf: stored["leaf"] }])];
  const storedRoot: StoredBox = { children: rows };
  const keys = new Map<string, StoredBox>();
  collectKeys(storedRoot, 0, keys);
  let saved = withKeys(root, keys);
  const visible = new Set(leavesOf(root));
  for (const hidden of hiddenBoxes(storedRoot, { visible, shown })) saved = place(saved, hidden);
  const tray = trayOf(listOf(stored["collapsed"]).map(objectOf), { collapsed, shown });
  const changes = { leaf: undefined, children: (saved.children ?? []).map(format), collapsed: tray };
  return [["UpdateRecord", "_grist_Views", view, { layoutSpec: withJsonKeys(layoutSpec, changes) }]];
}

const storedChildren = (box: StoredBox): StoredBox[] =>
  box["leaf"] === undefined ? listOf(box["children"]).map(objectOf) : [];

function storedLeaves(box: StoredBox, depth = 0): number[] {
  if (box["leaf"] !== undefined) return [Number(box["leaf"])];
  return depth < MAX_DEPTH ? storedChildren(box).flatMap((child) => storedLeaves(child, depth + 1)) : [];
}

const keyOf = (leaves: readonly number[], isLeaf: boolean): string =>
  `${isLeaf}${leaves.toSorted((a, b) => a - b).join()}`;

/** Other keys of the boxes, by their sections. */
function collectKeys(box: StoredBox, depth: number, keys: Map<string, StoredBox>): void {
  const others = Object.entries(box).filter(([key]) => key !== "leaf" && key !== "children" && key !== "size");
  const key = keyOf(storedLeaves(box), box["leaf"] !== undefined);
  if (others.length > 0 && !keys.has(key)) keys.set(key, Object.fromEntries(others));
  if (depth < MAX_DEPTH) for (const child of storedChildren(box)) collectKeys(child, depth + 1, keys);
}

const withKeys = (box: LayoutBox, keys: ReadonlyMap<string, StoredBox>): SavedBox => ({
  ...(box.leaf === undefined
    ? { children: (box.children ?? []).map((child) => withKeys(child, keys)) }
    : { leaf: box.leaf }),
  size: box.size,
  stored: keys.get(keyOf(leavesOf(box), box.leaf !== undefined)) ?? {},
});

interface Sections {
  /** In the boxes of the new layout. */
  readonly visible: ReadonlySet<number>;
  /** Also those in the tray. */
  readonly shown: ReadonlySet<number>;
}

/** Returns the outermost boxes without visible sections, in an order in which placing them keeps their order. */
function hiddenBoxes(box: StoredBox, sections: Sections, depth = 0): HiddenBox[] {
  if (depth >= MAX_DEPTH) return [];
  const children = storedChildren(box).map((child) => ({
    child,
    visible: storedLeaves(child, depth + 1).filter((leaf) => sections.visible.has(leaf)),
  }));
  const hidden = children.flatMap(({ child, visible }, index): HiddenBox[] => {
    const stored = visible.length > 0 ? null : withoutShown(child, sections.shown, depth + 1);
    if (!stored) return [];
    const before = children.slice(0, index).findLast((each) => each.visible.length > 0);
    const beside = before ?? children.slice(index).find((each) => each.visible.length > 0);
    const saved = { size: DEFAULT_SIZE, stored, isHidden: true };
    return [{ box: saved, neighbour: beside?.visible ?? null, isAfter: before !== undefined, depth }];
  });
  const inner = children
    .filter(({ visible }) => visible.length > 0)
    .flatMap(({ child }) => hiddenBoxes(child, sections, depth + 1));
  // Each is placed directly beside its neighbour: the last one that follows it comes first.
  const [after, before] = [true, false].map((isAfter) => hidden.filter((each) => each.isAfter === isAfter));
  return [...inner, ...(before ?? []), ...(after ?? []).toReversed()];
}

/** Returns a box without the sections that the reader sees, which have other places; null if nothing is left. */
function withoutShown(box: StoredBox, shown: ReadonlySet<number>, depth: number): StoredBox | null {
  if (box["leaf"] !== undefined) return shown.has(Number(box["leaf"])) ? null : box;
  if (depth >= MAX_DEPTH) return null;
  const children = storedChildren(box).flatMap((child) => withoutShown(child, shown, depth + 1) ?? []);
  return children.length > 0 ? { ...box, children } : null;
}

/** Puts a hidden box beside the box that has the sections of its neighbour, or else beside the nearest one of them. */
function place(root: SavedBox, hidden: HiddenBox): SavedBox {
  const { neighbour, isAfter, depth } = hidden;
  if (neighbour === null) return insert(root, [], hidden);
  const nearest = isAfter ? neighbour.at(-1) : neighbour[0];
  const paths = pathsTo(root, neighbour) ?? pathsTo(root, nearest === undefined ? [] : [nearest]) ?? [];
  const exact = paths.find((path) => path.length === depth + 1);
  const fitting = exact ?? paths.findLast((path) => path.length > 0 && (path.length - 1) % 2 === depth % 2);
  if (fitting) return insert(root, fitting.slice(0, -1), hidden, fitting.at(-1));
  const path = paths.at(-1) ?? [];
  if (path.length > 0 || depth % 2 === 0) return insert(root, path, hidden);
  // All sections together become one box of a row.
  const row = insert({ children: [{ ...root, stored: {} }], size: DEFAULT_SIZE, stored: {} }, [], hidden);
  return { ...root, children: [row] };
}

/** Returns the paths of the boxes with exactly these sections, from the outermost one; null for none. */
function pathsTo(root: SavedBox, leaves: readonly number[]): number[][] | null {
  const key = keyOf(leaves, true);
  const search = (box: SavedBox, path: number[]): number[][] => [
    ...(keyOf(visibleLeaves(box), true) === key ? [path] : []),
    ...(box.children ?? []).flatMap((child, index) => search(child, [...path, index])),
  ];
  const found = search(root, []);
  return found.length > 0 ? found : null;
}

const visibleLeaves = ({ leaf, children = [], isHidden }: SavedBox): number[] =>
  isHidden ? [] : leaf === undefined ? children.flatMap(visibleLeaves) : [leaf];

/** @param at the child of the box at the path that the hidden box is placed beside; before or after all by default */
function insert(root: SavedBox, path: readonly number[], hidden: HiddenBox, at?: number): SavedBox {
  const { box, isAfter } = hidden;
  const [next, ...rest] = path;
  const children = root.children ?? [];
  if (next !== undefined) {
    return { ...root, children: children.map((child, i) => (i === next ? insert(child, rest, hidden, at) : child)) };
  }
  if (root.leaf !== undefined) {
    const pair = [{ ...root, size: DEFAULT_SIZE }, box];
    return { children: isAfter ? pair : pair.toReversed(), size: root.size, stored: {} };
  }
  const position = isAfter ? (at ?? children.length - 1) + 1 : (at ?? 0);
  return { ...root, children: children.toSpliced(position, 0, box) };
}

function format({ leaf, children = [], size, stored, isHidden }: SavedBox): StoredBox {
  if (isHidden) return stored;
  return {
    ...stored,
    ...(leaf === undefined ? { children: children.map(format) } : { leaf }),
    ...(size !== DEFAULT_SIZE && { size }),
  };
}

/** Returns undefined for an empty tray. */
function trayOf(
  stored: readonly StoredBox[],
  { collapsed, shown }: { readonly collapsed: readonly number[]; readonly shown: ReadonlySet<number> },
): StoredBox[] | undefined {
  const kept = stored.filter(({ leaf }) => !shown.has(Number(leaf)) || collapsed.includes(Number(leaf)));
  const known = new Set(kept.map(({ leaf }) => Number(leaf)));
  const tray = [...kept, ...collapsed.filter((leaf) => !known.has(leaf)).map((leaf) => ({ leaf }))];
  return tray.length > 0 ? tray : undefined;
}
