/** Edits of cards as user actions. Those of one edit are applied together, and undone in one step. */
import { formatBoxLayout, type LayoutBox, leavesOf } from "./box-layout.ts";
import { editLayout, type LayoutEdit, parseCardLayout, withoutField } from "./card-layout.ts";
import { jsonObject, withJsonKeys } from "./metadata-values.ts";
import type { SectionData } from "./section-data.ts";

export type CardAction = readonly [name: string, ...args: unknown[]];

export const CARD_THEMES = ["form", "compact", "blocks"] as const;
export type CardTheme = (typeof CARD_THEMES)[number];

type CardSection = Pick<SectionData, "ref" | "fields" | "layoutSpec">;

const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";

/** Returns the theme of a section's cards; the default one for anything else. */
export const cardTheme = (theme: string): CardTheme => CARD_THEMES.find((known) => known === theme) ?? "form";

export const themeActions = ({ ref }: Pick<SectionData, "ref">, theme: CardTheme): CardAction[] => [
  ["UpdateRecord", SECTIONS, ref, { theme }],
];

/** Moves or resizes a field in the layout. No action when the edit changes nothing. */
export function layoutActions(section: CardSection, field: number, edit: LayoutEdit): CardAction[] {
  const { root } = parseCardLayout(section.layoutSpec, section.fields);
  const edited = editLayout(root, field, edit);
  return edited ? savedLayout(section, edited) : [];
}

/** Removes a field from the cards; its column keeps its values. */
export function hideFieldActions(section: CardSection, field: number): CardAction[] {
  const removed: CardAction = ["RemoveRecord", FIELDS, field];
  const { root } = parseCardLayout(section.layoutSpec, section.fields);
  // Without a layout, fields are placed by their order.
  if (!storedLeaves(section.layoutSpec).has(field)) return [removed];
  return [removed, layoutAction(section, withoutField(root, field))];
}

/** Adds a field for a column, at the end of the cards: the layout places what it does not mention there. */
export const showFieldActions = ({ ref }: Pick<SectionData, "ref">, colRef: number): CardAction[] => [
  ["AddRecord", FIELDS, null, { parentId: ref, colRef, parentPos: null }],
];

function savedLayout(section: CardSection, root: LayoutBox): CardAction[] {
  const positions = movedPositions(section, leavesOf(root));
  const ids = [...positions.keys()];
  return [
    ...(ids.length > 0 ? [["BulkUpdateRecord", FIELDS, ids, { parentPos: [...positions.values()] }] as const] : []),
    layoutAction(section, root),
  ];
}

/** Returns the positions of the fields that move: those of the section, in the order of the layout. */
function movedPositions({ fields }: CardSection, leaves: readonly number[]): Map<number, number | null> {
  const ordered = fields.toSorted((a, b) => a.position - b.position || a.ref - b.ref);
  return new Map(
    leaves.flatMap((leaf, at): [number, number | null][] => {
      const place = ordered[at];
      if (!place || place.ref === leaf) return [];
      // A field without a position is the last one.
      return [[leaf, place.position === Number.MAX_VALUE ? null : place.position]];
    }),
  );
}

function layoutAction({ ref, layoutSpec }: CardSection, root: LayoutBox): CardAction {
  const children: unknown = jsonObject(formatBoxLayout({ root, collapsed: [] }))["children"];
  return ["UpdateRecord", SECTIONS, ref, { layoutSpec: withJsonKeys(layoutSpec, { leaf: undefined, children }) }];
}

function storedLeaves(layoutSpec: string): Set<number> {
  const leaves = new Set<number>();
  const collect = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 40) return;
    const leaf: unknown = Reflect.get(value, "leaf");
    if (leaf !== undefined) leaves.add(Number(leaf));
    for (const inside of Object.values(value) as unknown[]) collect(inside, depth + 1);
  };
  collect(jsonObject(layoutSpec), 0);
  return leaves;
}
