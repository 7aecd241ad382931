/** The links that a section of a page can have: which sections can select its rows, and by which columns. */
import { columnType } from "../../../values/column-type.ts";
import { type ColumnListing, isHelperColumn } from "../table-data.ts";
import { isCursorLink, type Link, type LinkColumns, type LinkContext, readLink } from "./link-of.ts";
import type { SectionData } from "./section-data.ts";
import { presentationOf } from "./section-title.ts";

export interface LinkOffer extends LinkColumns {
  readonly section: SectionData;
  readonly link: Link;
}

/** @param sections those of the page */
export function offeredLinks(target: SectionData, sections: readonly SectionData[], context: LinkContext): LinkOffer[] {
  const canLink = ({ kind }: SectionData): boolean => ["grid", "cards"].includes(presentationOf(kind));
  return sections
    .filter((source) => source.ref !== target.ref && canLink(source))
    .flatMap((source) =>
      columnPairs(source, target, context).flatMap((refs): LinkOffer[] => {
        const link = readLink({ source, target }, refs, context);
        if (link === null || makesCycle({ source, target, link }, sections, context)) return [];
        return [{ ...refs, section: source, link }];
      }),
    );
}

/** References lead to rows; those to the same table have rows in common. Files do not link. */
function columnPairs(source: SectionData, target: SectionData, { columnsOf }: LinkContext): LinkColumns[] {
  const references = ({ table }: SectionData): ColumnListing[] =>
    (table === null ? [] : columnsOf(table)).filter((column) => !isHelperColumn(column.id) && isReference(column));
  const [ofSource, ofTarget] = [references(source), references(target)];
  const refOf = ({ fields }: ColumnListing): number => fields.colRef;
  return [
    { source: 0, target: 0 },
    ...ofTarget.map((column) => ({ source: 0, target: refOf(column) })),
    ...ofSource.filter(({ id }) => id !== "group").map((column) => ({ source: refOf(column), target: 0 })),
    ...ofSource
      .filter(({ id }) => id !== "group")
      .flatMap((from) =>
        ofTarget
          .filter((to) => columnType(from.fields.type).target === columnType(to.fields.type).target)
          .map((to) => ({ source: refOf(from), target: refOf(to) })),
      ),
  ];
}

const isReference = ({ fields }: ColumnListing): boolean => ["Ref", "RefList"].includes(columnType(fields.type).base);

interface NewLink {
  readonly source: SectionData;
  readonly target: SectionData;
  readonly link: Link;
}

/** Whether the source depends on the target already. Cursors may follow each other. */
function makesCycle(
  { source, target, link }: NewLink,
  sections: readonly SectionData[],
  context: LinkContext,
): boolean {
  let areCursors = isCursorLink(link);
  const visited = new Set<number>();
  for (let current: SectionData | undefined = source; current && !visited.has(current.ref);) {
    if (current.ref === target.ref) return !areCursors;
    visited.add(current.ref);
    const { linkSourceSection, linkSourceColumn, linkTargetColumn }: SectionData = current;
    const next: SectionData | undefined = sections.find(({ ref }) => ref === linkSourceSection);
    if (next) {
      const refs = { source: linkSourceColumn, target: linkTargetColumn };
      areCursors &&= isCursorLink(readLink({ source: next, target: current }, refs, context));
    }
    current = next;
  }
  return false;
}
