import type { Database } from "bun:sqlite";
import type { Measurement } from "../../bench.ts";
import { durationMs, medianByRatio } from "../../timing.ts";
import type { MillionBench, MillionFigure } from "../million-bench.ts";
import { MILLION_COLUMNS } from "../rows.ts";

const MAX_RATIO = 1.3;
/** Rows that the baseline reads and renders at a time: all at once would take longer and gigabytes of memory. */
const BLOCK = 10_000;
const names = MILLION_COLUMNS.map(({ id }) => id);

export const fetchAll: MillionFigure = {
  name: "fetch-all",
  run: (bench) => compared(bench, { name: "all rows as records", path: "/tables/Big/records", bare: renderRecords }),
};

export const columnar: MillionFigure = {
  name: "columnar",
  run: (bench) => compared(bench, { name: "all rows by columns", path: "/tables/Big/data", bare: renderColumns }),
};

export const csv: MillionFigure = {
  name: "csv",
  run: (bench) => compared(bench, { name: "all rows as CSV", path: "/download/csv?tableId=Big", bare: renderCsv }),
};

/** Reads the whole table through HTTP, in turns with bare SQLite that renders the same bytes; the median ratio counts. */
async function compared(
  bench: MillionBench,
  { name, path, bare }: { name: string; path: string; bare: (db: Database) => void },
): Promise<Measurement[]> {
  using baseline = bench.openBaseline();
  await using million = await bench.open();
  await million.read("/tables/Big/records?limit=1");
  const turns: Measurement[] = [];
  for (let turn = 0; turn <= bench.rounds; turn++) {
    const run = { baseline: durationMs(() => bare(baseline)), value: await million.read(path) };
    // The first turn is a warm-up.
    if (turn > 0) turns.push({ name, unit: "ms", ...run, target: { max: MAX_RATIO } });
  }
  return [medianByRatio(turns)];
}

const encoder = new TextEncoder();

function* blocks(db: Database): Generator<unknown[][]> {
  const select = db.query(`select id, ${names.join(",")} from Big where id > ? order by id limit ${BLOCK}`);
  let rows: unknown[][] = [];
  do {
    rows = select.values(Number(rows.at(-1)?.[0] ?? 0));
    yield rows;
  } while (rows.length === BLOCK);
}

const isBool = MILLION_COLUMNS.map(({ type }) => type === "Bool");
const fields = names.map((name, i) => `${name}:${isBool[i] ? `v[${i + 1}]===1` : `v[${i + 1}]`}`);
// oxlint-disable-next-line typescript/no-implied-eval -- a generated constructor is the fastest way to build objects
const record = new Function("v", `return{id:v[0],fields:{${fields.join(",")}}}`) as (values: unknown[]) => unknown;

function renderRecords(db: Database): void {
  for (const rows of blocks(db)) encoder.encode(JSON.stringify(rows.map(record)));
}

/** The order of the bytes requires one pass per column. */
function renderColumns(db: Database): void {
  for (const name of ["id", ...names]) {
    const select = db.query(`select id, ${name} from Big where id > ? order by id limit ${BLOCK}`);
    let rows: unknown[][] = [];
    do {
      rows = select.values(Number(rows.at(-1)?.[0] ?? 0));
      encoder.encode(JSON.stringify(rows.map((row) => row[1])));
    } while (rows.length === BLOCK);
  }
}

function renderCsv(db: Database): void {
  for (const rows of blocks(db)) encoder.encode(rows.map((row) => row.slice(1).join(",")).join("\n"));
}
