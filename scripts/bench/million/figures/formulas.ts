import type { Measurement } from "../../bench.ts";
import { median, percentile } from "../../timing.ts";
import type { MillionBench, MillionFigure, MillionServer } from "../million-bench.ts";
import { sampleOwnMemory } from "../../own-memory.ts";
import { processorMs } from "../../processor-time.ts";
import { codeOf, CODES, distantId } from "../rows.ts";

const CONDITION =
  'if $Qty > 500:\n  text = $City.upper()\nelse:\n  text = $City\nreturn text + " " + str($Qty + {turn})';
const THREE = [
  { id: "G", formula: "$Qty + 1" },
  { id: "H", formula: "$Qty * $Price" },
  { id: "I", formula: "'%s: %s' % ($City, $Qty)" },
];
const COUNT = "len(Big.lookupRecords(Code=$Code))";

/** Slower executables and busy machines are measured, too, instead of refusing the change. */
const SETTINGS = { QUERN_FORMULA_TIME_MS: "300000" };
const CHANGES = 1000;
const KEY_CHANGES = 200;
const WARM_UP_CHANGES = 20;
/** Idle time after which memory has to be released. */
const IDLE_MS = 60_000;

/** `$Qty * $Price` in all rows. */
export const arithmetic: MillionFigure = {
  name: "arithmetic",
  run: (bench) =>
    overAllRows(bench, { name: "$Qty * $Price over all rows", formula: "$Qty * $Price + {turn}", maxS: 0.9 }),
};

/** A text with a condition in all rows. */
export const text: MillionFigure = {
  name: "text",
  run: (bench) => overAllRows(bench, { name: "a text with a condition over all rows", formula: CONDITION, maxS: 1.8 }),
};

/** Each row counts the rows of its code. */
export const lookup: MillionFigure = {
  name: "lookup",
  run: (bench) => overAllRows(bench, { name: `${COUNT}, ${CODES} keys`, formula: `${COUNT} + {turn}`, maxS: 3 }),
};

/** Changes a column's formula several times, so that all of its cells are recomputed; the median counts. */
async function overAllRows(
  { open, rounds }: MillionBench,
  { name, formula, maxS }: { name: string; formula: string; maxS: number },
): Promise<Measurement[]> {
  await using million = await open(SETTINGS);
  await addFormulas(million, [{ id: "F", formula: "0" }]);
  const taken: number[] = [];
  const used: number[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    const before = processorMs(million.server.pid);
    const columns = [{ id: "F", fields: { formula: formula.replace("{turn}", String(turn)) } }];
    taken.push((await million.request("PATCH", "/tables/Big/columns", { columns })) / 1000);
    used.push((processorMs(million.server.pid) - before) / 1000);
  }
  return [
    { name, value: median(taken), unit: "s", target: { max: maxS } },
    { name: `${name}, processor time`, value: median(used), unit: "s" },
  ];
}

/** Own memory while three formula columns are added and read, and after a minute without requests. */
export const formulaMemory: MillionFigure = {
  name: "formula-memory",
  async run({ open }) {
    await using million = await open(SETTINGS);
    await million.read("/tables/Big/records?limit=100");
    using sampler = sampleOwnMemory(million.server.pid);
    const ms = await addFormulas(million, THREE);
    await million.read("/tables/Big/records?limit=100");
    const peakMb = sampler.peakMb;
    await Bun.sleep(IDLE_MS);
    return [
      { name: "three formula columns", value: ms / 1000, unit: "s" },
      { name: "three formula columns, own memory at its peak", value: peakMb, unit: "MB", target: { max: 400 } },
      { name: "the same 60 s later", value: sampler.lastMb, unit: "MB", target: { max: 120 } },
    ];
  },
};

/** One cell changes that three formula columns read. */
export const changeCell: MillionFigure = {
  name: "change-cell",
  async run({ open, prepared: { rows } }) {
    await using million = await open(SETTINGS);
    await addFormulas(million, THREE);
    const taken = await changeRows(million, CHANGES, (n) => ({ id: distantId(n, rows), fields: { Qty: 5000 + n } }));
    return quantiles("one cell changed under three formulas", taken, [2, 10]);
  },
};

/** The key of a look-up changes in one row: the counts of the rows of its former code follow. */
export const changeLookupKey: MillionFigure = {
  name: "change-lookup-key",
  async run({ open, prepared: { rows } }) {
    await using million = await open(SETTINGS);
    await addFormulas(million, [{ id: "InCode", formula: COUNT }]);
    const moved = await changeRows(million, KEY_CHANGES, (n) => {
      return { id: distantId(n, rows), fields: { Code: `moved ${n}` } };
    });
    const swapped = await changeRows(million, KEY_CHANGES, (n) => {
      return { id: distantId(n + KEY_CHANGES * 2, rows), fields: { Code: codeOf(n + 1) } };
    });
    return [
      ...quantiles("look-up key of one row changed, 200 rows follow", moved, [8, 40]),
      { name: "look-up key of one row changed, 400 rows follow, p50", value: median(swapped), unit: "ms" },
    ];
  },
};

function quantiles(name: string, taken: readonly number[], [p50, p99]: readonly [number, number]): Measurement[] {
  return [
    { name: `${name}, p50`, value: median(taken), unit: "ms", target: { max: p50 } },
    { name: `${name}, p99`, value: percentile(taken, 0.99), unit: "ms", target: { max: p99 } },
  ];
}

async function changeRows(
  million: MillionServer,
  changes: number,
  recordOf: (n: number) => { id: number; fields: object },
): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < changes + WARM_UP_CHANGES; n++) {
    taken.push(await million.request("PATCH", "/tables/Big/records", { records: [recordOf(n)] }));
  }
  return taken.slice(WARM_UP_CHANGES);
}

/** Adds formula columns in one change; returns its duration in milliseconds. */
export function addFormulas(
  million: MillionServer,
  formulas: readonly { readonly id: string; readonly formula: string }[],
): Promise<number> {
  const columns = formulas.map(({ id, formula }) => ({
    id,
    fields: { label: id, type: "Any", isFormula: true, formula },
  }));
  return million.request("POST", "/tables/Big/columns", { columns });
}
