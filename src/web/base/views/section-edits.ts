/** The actions of edits of a section. Each edit is one bundle, and writes only what the format names for it. */
import type { BoxLayout, LayoutBox } from "./box-layout.ts";
import { withJsonKeys } from "./metadata-values.ts";
import type { EditAction } from "./page-edits.ts";
import type { SectionData } from "./section-data.ts";
import type { LinkColumns } from "./link-of.ts";

const SECTIONS = "_grist_Views_section";

export const renameSection = (section: number, title: string): EditAction[] => [
  ["UpdateRecord", SECTIONS, section, { title }],
];

export const changeSectionKind = (section: number, parentKey: string): EditAction[] => [
  ["UpdateRecord", SECTIONS, section, { parentKey }],
];

/** @param link null removes the link */
export const linkSection = (section: number, link: ({ readonly from: number } & LinkColumns) | null): EditAction[] => [
  [
    "UpdateRecord",
    SECTIONS,
    section,
    {
      linkSrcSectionRef: link?.from ?? 0,
      linkSrcColRef: link?.source ?? 0,
      linkTargetColRef: link?.target ?? 0,
    },
  ],
];

/** @param changes undefined resets an option to its default */
export const changeSectionOptions = (
  { ref, options }: Pick<SectionData, "ref" | "options">,
  changes: Readonly<Record<string, unknown>>,
): EditAction[] => [["UpdateRecord", SECTIONS, ref, { options: withJsonKeys(options, changes) }]];

export const removeSection = (section: number): EditAction[] => [["RemoveViewSection", section]];

export function collapseSection({ root, collapsed }: BoxLayout, section: number): BoxLayout {
  return { root: withoutLeaf(root, section) ?? { ...root, children: [] }, collapsed: [...collapsed, section] };
}

/** The section is then in a row of its own, below all others. */
export function expandSection({ root, collapsed }: BoxLayout, section: number): BoxLayout {
  const children = [...(root.children ?? []), { leaf: section, size: 100 }];
  return { root: { ...root, children }, collapsed: collapsed.filter((each) => each !== section) };
}

/** Returns null for a box in which nothing is left. */
export function withoutLeaf(box: LayoutBox, leaf: number): LayoutBox | null {
  if (box.leaf !== undefined) return box.leaf === leaf ? null : box;
  const children = (box.children ?? []).flatMap((child) => withoutLeaf(child, leaf) ?? []);
  return children.length === 0 ? null : { ...box, children };
}
