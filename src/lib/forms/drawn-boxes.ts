/**
 * Which boxes of a form's stored layout a page draws. The server requires answers to exactly the questions that visitors see, so
 * both read the layout here.
 */

/** A box of a layout; programs may have stored further keys. */
export interface FormBox {
  readonly type: string;
  readonly id?: string;
  /** Boxes; other programs may have stored other values. */
  readonly children?: readonly unknown[];
  /** The id of the field of a `Field`. */
  readonly leaf?: number;
  readonly [key: string]: unknown;
}

/** A box that is drawn, with the drawn boxes in it. */
export interface DrawnBox {
  readonly box: FormBox;
  readonly children: readonly DrawnBox[];
}

/** A form without a layout asks for this many of its first fields, and a new form for at most as many. */
export const MAX_FIRST_FIELDS = 9;

/** Boxes in deeper levels are kept, but neither shown nor changed: documents come from anywhere. */
export const MAX_DEPTH = 20;
/** A bound for layouts that no builder makes. */
const MAX_BOXES = 2000;

/** Boxes that show no boxes inside. Unknown boxes show them. */
const LEAVES: ReadonlySet<string> = new Set([
  "Placeholder",
  "Field",
  "Paragraph",
  "Label",
  "Header",
  "Separator",
  "Submit",
]);

export const isBox = (value: unknown): value is FormBox =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

export const childrenOf = ({ children }: FormBox): readonly unknown[] => (Array.isArray(children) ? children : []);

/** Returns the id of the field that a box shows. */
export const leafOf = ({ type, leaf }: FormBox): number | null =>
  type === "Field" && typeof leaf === "number" ? leaf : null;

/** Returns the layout of a section; null for a section without one, which asks for its first fields. */
export function parseFormLayout(text: unknown): FormBox | null {
  if (typeof text !== "string" || text === "") return null;
  try {
    const root: unknown = JSON.parse(text);
    return isBox(root) && root.type === "Layout" ? root : null;
  } catch {
    return null;
  }
}

/** Returns the boxes that are drawn in a layout, in their order. */
export function drawnBoxes(root: FormBox): DrawnBox[] {
  let count = 0;
  const read = (parent: FormBox, depth: number): DrawnBox[] => {
    if (depth >= MAX_DEPTH || LEAVES.has(parent.type)) return [];
    return childrenOf(parent).flatMap((box) => {
      if (++count > MAX_BOXES || !isBox(box)) return [];
      return [{ box, children: read(box, depth + 1) }];
    });
  };
  return read(root, 0);
}

/** Returns the ids of the fields in drawn boxes, in reading order. */
export const drawnLeaves = (boxes: readonly DrawnBox[]): number[] =>
  boxes.flatMap(({ box, children }) => {
    const leaf = leafOf(box);
    return leaf === null ? drawnLeaves(children) : [leaf];
  });
