/**
 * Measures the executable with a document of a million rows × 10 columns: `bun scripts/bench/main.ts --million
 * [--only NAME…] [--rows N] [--rounds N] [--folder DIR] [--executable PATH] [--import] [--json]`. Prints a table of the
 * figures with their targets, or lines of JSON; the exit status is 1 if a target is missed.
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { EXECUTABLE } from "../../running-server.ts";
import { type Measurement, moveToClientCore } from "../bench.ts";
import { jsonLine, meetsTarget, printTable } from "../report.ts";
import { concurrentRead } from "./figures/concurrent-read.ts";
import { arithmetic, changeCell, changeLookupKey, formulaMemory, lookup, text } from "./figures/formulas.ts";
import { importCsv } from "./figures/import.ts";
import { rowRate, sqlRate } from "./figures/rates.ts";
import { aggregate } from "./figures/aggregate.ts";
import { cursor, offset, rowByKey, sort } from "./figures/rows-by-text.ts";
import { sqlAll } from "./figures/sql-all.ts";
import { search } from "./figures/search.ts";
import { start } from "./figures/start.ts";
import { columnar, csv, fetchAll } from "./figures/whole-table.ts";
import { createMillionBench, type MillionFigure } from "./million-bench.ts";
import { prepareFolder } from "./prepared-folder.ts";

const FIGURES: readonly MillionFigure[] = [
  start,
  concurrentRead,
  rowRate,
  formulaMemory,
  arithmetic,
  text,
  lookup,
  changeCell,
  changeLookupKey,
  rowByKey,
  sort,
  cursor,
  offset,
  aggregate,
  search,
  fetchAll,
  columnar,
  csv,
  sqlRate,
  sqlAll,
  importCsv,
];

/**
 * Runs the figures that the arguments select.
 * @returns whether all targets are met
 */
export async function runMillion(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      rows: { type: "string", default: "1000000" },
      rounds: { type: "string", default: "3" },
      folder: { type: "string" },
      executable: { type: "string", default: EXECUTABLE },
      import: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const unknown = values.only.filter((name) => !FIGURES.some((figure) => figure.name === name));
  if (unknown.length > 0) {
    throw new Error(`Unknown figure: ${unknown.join(", ")}. Available: ${FIGURES.map(({ name }) => name).join(", ")}.`);
  }
  const isSelected = ({ name, isOptional = false }: MillionFigure) =>
    values.only.length === 0 ? !isOptional || values.import : values.only.includes(name);
  moveToClientCore();
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "quern-million-")));
  const [executable, rows, rounds] = [resolve(values.executable), Number(values.rows), Number(values.rounds)];
  try {
    const prepared = await prepareFolder(folder, { rows, executable });
    const bench = createMillionBench(prepared, { executable, rounds });
    const print = values.json ? console.log : console.error;
    const all: Measurement[] = [];
    const file = resultFile();
    for (const figure of FIGURES.filter(isSelected)) {
      for (const measured of await figure.run(bench).catch((error: unknown) => failed(figure, error))) {
        print(jsonLine(measured));
        appendFileSync(file, `${jsonLine(measured)}\n`);
        all.push(measured);
      }
    }
    if (!values.json) {
      printTable(all);
      console.log(`\nThese figures are in ${relative(process.cwd(), file)}.`);
    }
    return all.every(meetsTarget);
  } finally {
    if (values.folder === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** One figure that fails must not end the run: it counts as missed. */
function failed({ name }: MillionFigure, error: unknown): Measurement[] {
  console.error(error);
  return [{ name: `${name}: failed`, value: Number.POSITIVE_INFINITY, unit: "", target: { max: 0 } }];
}

function resultFile(): string {
  const folder = join(import.meta.dir, "../../../dist");
  mkdirSync(folder, { recursive: true });
  const time = new Date().toISOString().replaceAll(":", "-").slice(0, 19);
  return join(folder, `bench-million-${time}.jsonl`);
}
