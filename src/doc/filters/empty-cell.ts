import { type CellValue, isList } from "../../values/cell.ts";

/** True for cells that users see as empty: null, an empty text or list, an empty reference. */
export const isEmptyCell = ({ base }: { base: string }, cell: CellValue): boolean =>
  cell === null || cell === "" || (isList(cell) && cell.length === 1) || (cell === 0 && base === "Ref");
