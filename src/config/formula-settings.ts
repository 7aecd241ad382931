import { byteSize, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Resource limits of formulas. */
export const FORMULA_SETTINGS = {
  formulaSteps: setting({
    flag: "formula-steps",
    env: "QUERN_FORMULA_STEPS",
    placeholder: "N",
    defaultValue: 20_000_000,
    about:
      "Maximum number of steps of a formula for one cell; beyond it the cell shows TimeoutError. A million steps take about 20 ms.",
    parse: (text) => integerBetween(text, 1000, 1_000_000_000_000),
  }),
  formulaMemory: setting({
    flag: "formula-memory",
    env: "QUERN_FORMULA_MEMORY",
    placeholder: "SIZE",
    defaultValue: 64 * 1024 ** 2,
    shown: "64MB",
    about:
      "Maximum memory that a formula may allocate for one cell, including memory freed again; beyond it the cell shows MemoryError.",
    parse: byteSize,
  }),
  formulaChangeSteps: setting({
    flag: "formula-change-steps",
    env: "QUERN_FORMULA_CHANGE_STEPS",
    placeholder: "N",
    defaultValue: 1_000_000_000,
    about: "Maximum number of steps of all cells recomputed by one change; further cells show TimeoutError.",
    parse: (text) => integerBetween(text, 1000, 1_000_000_000_000),
  }),
  formulaChangeMemory: setting({
    flag: "formula-change-memory",
    env: "QUERN_FORMULA_CHANGE_MEMORY",
    placeholder: "SIZE",
    defaultValue: 8 * 1024 ** 3,
    shown: "8GB",
    about: "Maximum memory allocated by all cells recomputed by one change, including memory freed again.",
    parse: byteSize,
  }),
  formulaCache: setting({
    flag: "formula-cache",
    env: "QUERN_FORMULA_CACHE",
    placeholder: "SIZE",
    defaultValue: 256 * 1024 ** 2,
    shown: "256MB",
    about:
      "Maximum memory of a document for formulas: indexes of references and lookups, and cells. Larger indexes continue in a temporary file, in which lookups are slower.",
    parse: byteSize,
  }),
  formulaTimeMs: setting({
    flag: "formula-time-ms",
    env: "QUERN_FORMULA_TIME_MS",
    placeholder: "MS",
    defaultValue: 30_000,
    about: "Maximum duration in milliseconds of all formulas of one change; beyond it the change is refused.",
    parse: (text) => integerBetween(text, 10, 3_600_000),
  }),
  formulaCellTimeMs: setting({
    flag: "formula-cell-time-ms",
    env: "QUERN_FORMULA_CELL_TIME_MS",
    placeholder: "MS",
    defaultValue: 5000,
    about: "Maximum duration in milliseconds of a formula for one cell; beyond it the change is refused.",
    parse: (text) => integerBetween(text, 10, 3_600_000),
  }),
} as const;
