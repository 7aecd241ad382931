/** The fields of cards: the columns that the view shows, at their places in the section's layout. */
import type { LayoutBox } from "../../../../base/views/box-layout.ts";
import { parseCardLayout } from "../../../../base/views/card-layout.ts";
import type { SectionData } from "../../../../base/views/section-data.ts";
import type { Column } from "../../../table/client/columns/columns.ts";

export interface CardShape {
  /** Changes whenever cards have to be drawn again. */
  readonly version: number;
  /** Another object once fields are at other places, or their columns have changed. */
  readonly root: LayoutBox;
  /** By the leaves of the layout. */
  readonly columns: ReadonlyMap<number, Column>;
}

type CardSection = Pick<SectionData, "layoutSpec" | "fields">;

interface KeyedShape extends CardShape {
  /** What the places of fields depend on. */
  readonly key: string;
}

/** Returns the shape to draw next: the former one with another version, as long as neither places nor columns change. */
export function nextShape(before: KeyedShape | null, section: CardSection, shown: readonly Column[]): KeyedShape {
  const version = (before?.version ?? 0) + 1;
  const key = JSON.stringify([section.layoutSpec, section.fields.map(({ ref, colRef }) => [ref, colRef])]);
  const columns = before && [...before.columns.values()];
  const isSame = columns?.length === shown.length && columns.every((column, at) => column === shown[at]);
  if (before && isSame && before.key === key) return { ...before, version };
  return { ...cardShape(section, shown), key, version };
}

/** Columns without a field, which only the present view shows, follow at the end. */
function cardShape({ layoutSpec, fields }: CardSection, shown: readonly Column[]): Omit<CardShape, "version"> {
  const fieldOf = new Map(fields.map(({ colRef, ref }) => [colRef, ref]));
  const columns = new Map(shown.map((column) => [fieldOf.get(column.ref) ?? -column.ref, column]));
  const leaves = [...columns.keys()].map((ref) => ({ ref }));
  return { root: parseCardLayout(layoutSpec, leaves).root, columns };
}
