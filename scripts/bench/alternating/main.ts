/**
 * Compares two executables on copies of the same data folder: `bun scripts/bench/alternating/main.ts BEFORE AFTER
 * [--only NAME…] [--rounds 7] [--rows 100000] [--folder DIR] [--json]`. Both servers run; each figure is measured in alternating rounds
 * (A B A B …), so that both meet the same load of the machine. Prints the medians of both, the ratio of the medians, and
 * the ratio of the servers' processor time, which depends least on that load. The exit status is 1 if a figure is worse
 * by more than a twentieth.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { moveToClientCore } from "../bench.ts";
import { MillionServer } from "../million/million-bench.ts";
import { prepareFolder } from "../million/prepared-folder.ts";
import { processorMs } from "../processor-time.ts";
import { median } from "../timing.ts";
import { type ComparedFigure, FIGURES } from "./figures.ts";

const MAX_WORSE = 1.05;

interface Run {
  readonly value: number;
  readonly processorMs: number;
}

interface Line {
  readonly name: string;
  readonly unit: string;
  /** Medians. */
  readonly before: number;
  readonly after: number;
  /** Above 1 for a slower or larger result. */
  readonly worseBy: number;
  readonly processorRatio: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "7" },
    rows: { type: "string", default: "100000" },
    folder: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const [before, after] = positionals.map((path) => resolve(path));
if (before === undefined || after === undefined) {
  console.error(
    "Usage: bun scripts/bench/alternating/main.ts BEFORE AFTER [--only NAME…] [--rounds N] [--rows N] [--folder DIR] [--json]",
  );
  process.exit(2);
}
const unknown = values.only.filter((name) => !FIGURES.some((figure) => figure.name.startsWith(name)));
if (unknown.length > 0) {
  console.error(`Unknown figure ${unknown.join(", ")}: choose from ${FIGURES.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const figures = FIGURES.filter(({ name }) => !values.only.length || values.only.some((only) => name.startsWith(only)));
moveToClientCore();
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "quern-alternating-")));
try {
  // The former executable makes the folder: both can open it.
  const prepared = await prepareFolder(folder, { rows: Number(values.rows), executable: before });
  await using first = await MillionServer.open({ prepared, executable: before });
  await using second = await MillionServer.open({ prepared, executable: after });
  const lines: Line[] = [];
  for (const figure of figures) {
    console.error(figure.name);
    lines.push(await compare(figure, first, second));
  }
  if (values.json) for (const line of lines) console.log(JSON.stringify(line));
  else printTable(lines);
  process.exitCode = lines.some(({ worseBy }) => worseBy > MAX_WORSE) ? 1 : 0;
} finally {
  if (values.folder === undefined) await rm(folder, { recursive: true, force: true });
}

async function compare(figure: ComparedFigure, first: MillionServer, second: MillionServer): Promise<Line> {
  const [before, after]: [Run[], Run[]] = [[], []];
  for (const million of [first, second]) await figure.prepare?.(million);
  for (let round = 0; round < Number(values.rounds); round++) {
    before.push(await measure(figure, first));
    after.push(await measure(figure, second));
  }
  const valueOf = (runs: readonly Run[]) => median(runs.map(({ value }) => value));
  // The kernel counts in hundredths of a second: a sum over all rounds is the most exact.
  const processorOf = (runs: readonly Run[]) => runs.reduce((sum, run) => sum + run.processorMs, 0);
  const [former, latter] = [valueOf(before), valueOf(after)];
  return {
    name: figure.name,
    unit: figure.unit,
    before: former,
    after: latter,
    worseBy: figure.unit === "/s" ? former / latter : latter / former,
    processorRatio: processorOf(after) / processorOf(before),
  };
}

async function measure(figure: ComparedFigure, million: MillionServer): Promise<Run> {
  const { pid } = million.server;
  const start = processorMs(pid);
  const { value, repetitions } = await figure.measure(million);
  // A figure that restarts the server has the processor time of the last start.
  const isSame = pid === million.server.pid;
  const used = processorMs(million.server.pid) - (isSame ? start : 0);
  return { value, processorMs: isSame ? used / repetitions : used };
}

function printTable(lines: readonly Line[]): void {
  const rows = [
    ["figure", "before", "after", "ratio", "processor time", ""],
    ...lines.map(({ name, unit, before, after, worseBy, processorRatio }) => [
      name,
      `${before.toPrecision(4)} ${unit}`,
      `${after.toPrecision(4)} ${unit}`,
      (after / before).toFixed(3),
      processorRatio.toFixed(3),
      worseBy > MAX_WORSE ? "WORSE" : worseBy < 1 / MAX_WORSE ? "better" : "same",
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
