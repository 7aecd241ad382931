/**
 * The layout of a form, as documents store it: a tree of boxes. Boxes and keys that Quern does not know stay as they
 * are.
 */

import {
  childrenOf,
  type FormBox,
  isBox,
  leafOf,
  MAX_DEPTH,
  MAX_FIRST_FIELDS,
} from "../../../lib/forms/drawn-boxes.ts";

export {
  childrenOf,
  type FormBox,
  isBox,
  leafOf,
  MAX_FIRST_FIELDS,
  parseFormLayout,
} from "../../../lib/forms/drawn-boxes.ts";

/** The position of a box: the index of each ancestor among its siblings, and its own. The layout itself is at `[]`. */
export type BoxPath = readonly number[];

/** Text of the paragraph that is drawn as a line. */
export const LINE_TEXT = "---";

export const formatFormLayout = (root: FormBox): string => JSON.stringify(root);

/** Returns the box at a path; null for none. */
export function boxAt(root: FormBox, path: BoxPath): FormBox | null {
  let box = root;
  for (const index of path) {
    const child = childrenOf(box)[index];
    if (!isBox(child)) return null;
    box = child;
  }
  return box;
}

export interface PlacedBox {
  readonly box: FormBox;
  readonly path: BoxPath;
}

/** Returns the layout and its boxes, in reading order. */
export function* walkBoxes(root: FormBox, path: BoxPath = []): Generator<PlacedBox> {
  yield { box: root, path };
  if (path.length >= MAX_DEPTH) return;
  for (const [index, child] of childrenOf(root).entries()) {
    if (isBox(child)) yield* walkBoxes(child, [...path, index]);
  }
}

/** Returns the path of the first box with a property; null for none. */
export const findBox = (root: FormBox, matches: (box: FormBox) => boolean): BoxPath | null =>
  walkBoxes(root).find(({ box }) => matches(box))?.path ?? null;

/** Returns the ids of the fields that a box and the boxes inside show. */
export const fieldsIn = (root: FormBox): Set<number> =>
  new Set([...walkBoxes(root)].map(({ box }) => leafOf(box)).filter((leaf) => leaf !== null));

/** Changes keys of a box; undefined removes a key. */
export function changeBox(root: FormBox, path: BoxPath, changes: Readonly<Record<string, unknown>>): FormBox {
  return replaceAt(root, path, (box) => {
    const kept = Object.entries({ ...box, ...changes }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(kept) as FormBox;
  });
}

/** Replaces the box at a path. */
function replaceAt(root: FormBox, path: BoxPath, replace: (box: FormBox) => unknown): FormBox {
  const [index, ...rest] = path;
  if (index === undefined) return replace(root) as FormBox;
  const children = childrenOf(root).map((child, at) => {
    if (at !== index || !isBox(child)) return child;
    return rest.length === 0 ? replace(child) : replaceAt(child, rest, replace);
  });
  return { ...root, children };
}

const changeChildren = (
  root: FormBox,
  path: BoxPath,
  change: (children: readonly unknown[]) => readonly unknown[],
): FormBox => replaceAt(root, path, (box) => ({ ...box, children: change(childrenOf(box)) }));

/** Returns the layout without a box. A column keeps its place, as an empty one; an empty one is removed. */
export function removeBox(root: FormBox, path: BoxPath, newId: () => string): FormBox {
  const parent = path.slice(0, -1);
  const index = path.at(-1);
  if (index === undefined) return root;
  const keepsPlace = boxAt(root, parent)?.type === "Columns" && boxAt(root, path)?.type !== "Placeholder";
  if (keepsPlace) return replaceAt(root, path, () => placeholderBox(newId));
  const without = changeChildren(root, parent, (children) => children.toSpliced(index, 1));
  const container = boxAt(without, parent);
  return container?.type === "Columns" && childrenOf(container).length === 0
    ? removeBox(without, parent, newId)
    : without;
}

/** Where a box is inserted: before the child with this index. */
export interface BoxPlace {
  readonly parent: BoxPath;
  readonly index: number;
}

/** Inserts a box. In columns it takes the place of an empty one. */
export function insertBox(root: FormBox, { parent, index }: BoxPlace, box: FormBox): FormBox {
  const isColumns = boxAt(root, parent)?.type === "Columns";
  return changeChildren(root, parent, (children) => {
    const there = children[index];
    const replaced = isColumns && isBox(there) && there.type === "Placeholder" ? 1 : 0;
    return children.toSpliced(index, replaced, box);
  });
}

/** Moves a box; the place is that before the move. A box that would be inserted into its own content stays. */
export function moveBox(root: FormBox, path: BoxPath, place: BoxPlace): FormBox {
  const box = boxAt(root, path);
  if (!box || path.length === 0 || startsWith(place.parent, path)) return root;
  const parent = path.slice(0, -1);
  const staysInside = startsWith(parent, place.parent) && startsWith(place.parent, parent);
  // Paths stay valid, until the box is in its new place.
  const marker: FormBox = { type: "Placeholder", id: typeof box.id === "string" ? `${box.id}-empty` : "empty" };
  const marked = insertBox(
    replaceAt(root, path, () => marker),
    place,
    box,
  );
  const markerPath = findBox(marked, (each) => each === marker);
  // It has taken the place of the marker.
  if (!markerPath) return marked;
  const leavesColumns = boxAt(marked, markerPath.slice(0, -1))?.type === "Columns" && !staysInside;
  if (leavesColumns && box.type !== "Placeholder") return marked;
  return changeChildren(marked, markerPath.slice(0, -1), (children) => children.toSpliced(markerPath.at(-1) ?? 0, 1));
}

const startsWith = (path: BoxPath, start: BoxPath): boolean =>
  path.length >= start.length && start.every((index, at) => path[at] === index);

/** Whether a box may be inside another one: sections are not nested, and neither are columns. */
export function canContain(parent: FormBox, child: FormBox): boolean {
  if (child.type === "Layout") return false;
  if (child.type === "Submit") return parent.type === "Layout";
  if (child.type === "Placeholder") return parent.type === "Columns";
  if (parent.type === "Layout") return true;
  if (parent.type === "Section") return child.type !== "Section";
  return parent.type === "Columns" && child.type !== "Columns";
}

export type BoxMove = "back" | "on" | "in" | "out";

/** Returns where the moves of a box lead; moves that are not possible are missing. */
export function movesOf(root: FormBox, path: BoxPath): Partial<Record<BoxMove, BoxPlace>> {
  const box = boxAt(root, path);
  const index = path.at(-1);
  const parent = path.slice(0, -1);
  const container = boxAt(root, parent);
  if (!box || !container || index === undefined || box.type === "Submit") return {};
  const siblings = childrenOf(container);
  const next = siblings[index + 1];
  const containerAt = (at: number): BoxPlace | null => {
    const sibling = boxAt(root, [...parent, at]);
    return sibling && canContain(sibling, box) ? endOf(sibling, [...parent, at]) : null;
  };
  const inside = containerAt(index - 1) ?? containerAt(index + 1);
  const outer = boxAt(root, parent.slice(0, -1));
  const canLeave = parent.length > 0 && outer && canContain(outer, box);
  const hasNext = index + 1 < siblings.length && !(isBox(next) && next.type === "Submit");
  return {
    ...(index > 0 && { back: { parent, index: index - 1 } }),
    ...(hasNext && { on: { parent, index: index + 2 } }),
    ...(inside && { in: inside }),
    ...(canLeave && { out: { parent: parent.slice(0, -1), index: (parent.at(-1) ?? 0) + 1 } }),
  };
}

/** The end of a container; of columns the first empty one. */
function endOf(container: FormBox, path: BoxPath): BoxPlace {
  const children = childrenOf(container);
  const empty = children.findIndex((child) => isBox(child) && child.type === "Placeholder");
  if (container.type === "Columns" && empty >= 0) return { parent: path, index: empty };
  const submit = children.findIndex((child) => isBox(child) && child.type === "Submit");
  return { parent: path, index: submit >= 0 ? submit : children.length };
}

const hasEmptyColumn = (columns: FormBox): boolean =>
  childrenOf(columns).some((child) => isBox(child) && child.type === "Placeholder");

/** Returns where a new box goes: into or after the selected box; else to the end of the last section. */
export function placeForNew(root: FormBox, box: FormBox, selected: BoxPath | null): BoxPlace {
  for (let path = selected; path && path.length > 0; path = path.slice(0, -1)) {
    const there = boxAt(root, path);
    const parent = path.slice(0, -1);
    const container = boxAt(root, parent);
    const hasRoom = there && (there.type !== "Columns" || path === selected || hasEmptyColumn(there));
    if (hasRoom && canContain(there, box)) return endOf(there, path);
    const index = path.at(-1) ?? 0;
    if (there?.type === "Placeholder" && container && canContain(container, box)) return { parent, index };
    if (container && container.type !== "Columns" && canContain(container, box))
      return { parent, index: there?.type === "Submit" ? index : index + 1 };
  }
  const last = childrenOf(root).findLastIndex((child) => isBox(child) && child.type === "Section");
  const section = boxAt(root, [last]);
  return section && canContain(section, box) ? endOf(section, [last]) : endOf(root, []);
}

export const fieldBox = (leaf: number, newId: () => string): FormBox => ({ id: newId(), type: "Field", leaf });

export const paragraphBox = (text: string, newId: () => string, alignment?: "center"): FormBox => ({
  id: newId(),
  type: "Paragraph",
  text,
  ...(alignment && { alignment }),
});

export const placeholderBox = (newId: () => string): FormBox => ({ id: newId(), type: "Placeholder" });

export const columnsBox = (newId: () => string): FormBox => ({
  id: newId(),
  type: "Columns",
  children: [placeholderBox(newId), placeholderBox(newId)],
});

export const sectionBox = (newId: () => string, children: readonly FormBox[] = []): FormBox => ({
  id: newId(),
  type: "Section",
  children: [paragraphBox("", newId), paragraphBox("", newId), ...children],
});

export interface NewForm {
  /** The ids of the section's fields, in their order. */
  readonly fields: readonly number[];
  /** The heading. */
  readonly title: string;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

/** Returns the layout of a new form: a heading, a description, the first fields, and the button. */
export function newFormLayout({ fields, title, newId }: NewForm): FormBox {
  const boxes = fields.slice(0, MAX_FIRST_FIELDS).map((leaf) => fieldBox(leaf, newId));
  return {
    id: newId(),
    type: "Layout",
    children: [
      paragraphBox(`## ${escapeMarkdown(title)}`, newId, "center"),
      paragraphBox("", newId, "center"),
      sectionBox(newId, boxes),
      { id: newId(), type: "Submit" },
    ],
  };
}

/** Escapes the characters of a name that Markdown would take for marks; a heading is one line. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_{}[\]<>#+|~!&]/g, String.raw`\$&`).replaceAll(/\s+/g, " ");
