import type { CellList } from "./types/schema.ts";

/** Returns a list for a cell of several choices, references or attachments. */
export const toList = <const Item>(items: readonly Item[]): CellList<Item> => ["L", ...items];

/** Returns the items of a list in a cell; none of an empty cell. */
export const fromList = <Item>(cell: CellList<Item> | null): Item[] => (cell ? (cell.slice(1) as Item[]) : []);
