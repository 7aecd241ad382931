/** Limits of the memory that a calculation uses. */
export interface CalculationLimits {
  /** Rows that are read, computed and written together. */
  readonly blockRows: number;
  /** Results that wait to be written; more are written before the change is complete. */
  readonly bufferedCells: number;
  /** Pending cells of a column from which it is computed after the columns that it reads. */
  readonly orderedCells: number;
  /** Computed cells of a column from which its formula is compiled to a row function. */
  readonly compiledCells: number;
  /** Results of formulas that the history of one change contains; of more, only the first rows. */
  readonly recordedCells: number;
  /** Maximum memory of cached cells. */
  readonly cacheBytes: number;
  /** Maximum memory of lookup indexes; larger ones are in a temporary file. */
  readonly indexBytes: number;
  /** Maximum memory of lookup indexes of a document that has been idle for some time; larger ones are dropped. */
  readonly idleIndexBytes: number;
}

/** Returns how the memory for formulas is divided. */
export const calculationMemory = (bytes: number): Pick<CalculationLimits, "cacheBytes" | "indexBytes"> => ({
  cacheBytes: bytes / 4,
  indexBytes: (bytes * 3) / 4,
});

export const CALCULATION_LIMITS: CalculationLimits = {
  blockRows: 1024,
  bufferedCells: 16_384,
  orderedCells: 1000,
  compiledCells: 50,
  recordedCells: 100_000,
  idleIndexBytes: 32 * 1024 ** 2,
  ...calculationMemory(256 * 1024 ** 2),
};
