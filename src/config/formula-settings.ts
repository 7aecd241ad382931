import { byteSize, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Limits of the formulas in documents. */
export const FORMULA_SETTINGS = {
  formulaSteps: setting({
    flag: "formula-steps",
    env: "QUERN_FORMULA_STEPS",
    placeholder: "N",
    defaultValue: 20_000_000,
    about:
      "Steps that a formula may take for one cell; beyond it the cell shows TimeoutError. A million take about 20 ms.",
    parse: (text) => integerBetween(text, 1000, 1_000_000_000_000),
  }),
  formulaMemory: setting({
    flag: "formula-memory",
    env: "QUERN_FORMULA_MEMORY",
    placeholder: "SIZE",
    defaultValue: 64 * 1024 ** 2,
    shown: "64MB",
    about: "Memory that a formula may fill for one cell, whether it gives it up again or not; beyond it: MemoryError.",
    parse: byteSize,
  }),
  formulaChangeSteps: setting({
    flag: "formula-change-steps",
    env: "QUERN_FORMULA_CHANGE_STEPS",
    placeholder: "N",
    defaultValue: 1_000_000_000,
    about: "Steps that all cells recomputed by one change may take together; cells after that show TimeoutError.",
    parse: (text) => integerBetween(text, 1000, 1_000_000_000_000),
  }),
  formulaChangeMemory: setting({
    flag: "formula-change-memory",
    env: "QUERN_FORMULA_CHANGE_MEMORY",
    placeholder: "SIZE",
    defaultValue: 8 * 1024 ** 3,
    shown: "8GB",
    about: "Memory that all cells recomputed by one change may fill together, counting what is freed again at once.",
    parse: byteSize,
  }),
  formulaTimeMs: setting({
    flag: "formula-time-ms",
    env: "QUERN_FORMULA_TIME_MS",
    placeholder: "MS",
    defaultValue: 30_000,
    about: "Milliseconds that all formulas of one change may take together; beyond it the change is refused.",
    parse: (text) => integerBetween(text, 10, 3_600_000),
  }),
  formulaCellTimeMs: setting({
    flag: "formula-cell-time-ms",
    env: "QUERN_FORMULA_CELL_TIME_MS",
    placeholder: "MS",
    defaultValue: 5000,
    about: "Milliseconds that a formula may take for one cell; beyond it the change is refused.",
    parse: (text) => integerBetween(text, 10, 3_600_000),
  }),
} as const;
