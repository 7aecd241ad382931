/** What alternating/main.ts measures. */
import { measureLoad } from "../load.ts";
import type { MillionServer } from "../million/million-bench.ts";
import { ownMemoryMb } from "../own-memory.ts";
import { median } from "../timing.ts";
import { CODES, MILLION_COLUMNS, millionRowOf } from "../million/rows.ts";

export interface Measured {
  readonly value: number;
  /** Divides the server's processor time: the number of requests that were sent, or of repetitions. */
  readonly repetitions: number;
}

export interface ComparedFigure {
  readonly name: string;
  readonly unit: "ms" | "/s" | "MB";
  /** Runs once on each server, without being measured. */
  prepare?(million: MillionServer): Promise<unknown>;
  measure(million: MillionServer): Promise<Measured>;
}

const RECORDS = "/tables/Big/records";
const PER_REQUEST = 1000;
const LOADED_ROWS = 50_000;
/** Idle time before the server's memory is read. */
const IDLE_MS = 3000;

export const FIGURES: readonly ComparedFigure[] = [
  { name: "start to first response", unit: "ms", measure: (million) => repeat(3, () => start(million)) },
  {
    name: "idle, own memory",
    unit: "MB",
    async measure({ server }) {
      await Bun.sleep(IDLE_MS);
      return { value: ownMemoryMb(server.pid), repetitions: 1 };
    },
  },
  {
    name: "add one row",
    unit: "ms",
    measure: (million) => repeat(500, () => million.request("POST", RECORDS, { records: [record(1)] })),
  },
  loadFigure("100 rows by 8 clients", { path: `${RECORDS}?limit=100` }),
  loadFigure("SQL of one row by 8 clients", {
    path: "/sql",
    body: JSON.stringify({ sql: "select * from Big where id = ?", args: [777] }),
  }),
  {
    name: "fetch 10,000 rows",
    unit: "ms",
    measure: (million) => repeat(15, () => million.read(`${RECORDS}?limit=10000`)),
  },
  { name: `load ${LOADED_ROWS} rows by ${PER_REQUEST}`, unit: "ms", measure: load },
  {
    name: "change 1000 rows",
    unit: "ms",
    measure: (million) =>
      repeat(30, (n) => {
        const records = Array.from({ length: PER_REQUEST }, (_, i) => ({
          id: i * 7 + 1,
          fields: { Qty: n * PER_REQUEST + i, Note: `changed ${n}` },
        }));
        return million.request("PATCH", RECORDS, { records });
      }),
  },
  formulaFigure("arithmetic over all rows", "F", "$Qty * $Price + {n}"),
  formulaFigure(
    "a text with a condition over all rows",
    "G",
    "($City.upper() if $Qty > 500 else $City) + str($Qty + {n})",
  ),
  formulaFigure(`a look-up over all rows, ${CODES} keys`, "H", "len(Big.lookupRecords(Code=$Code)) + {n}"),
];

async function repeat(times: number, one: (n: number) => Promise<number>): Promise<Measured> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) taken.push(await one(n));
  return { value: median(taken), repetitions: times };
}

function loadFigure(name: string, { path, ...post }: { path: string; body?: string }): ComparedFigure {
  return {
    name,
    unit: "/s",
    async measure({ url, key }) {
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      const { perSecond, requests } = await measureLoad({ url: url + path, headers, ...post });
      return { value: perSecond, repetitions: requests };
    },
  };
}

async function start(million: MillionServer): Promise<number> {
  await million.server.stop();
  const began = performance.now();
  await million.restart();
  await million.api.send("GET", "/orgs");
  return performance.now() - began;
}

async function load(million: MillionServer): Promise<Measured> {
  let total = 0;
  for (let first = 1; first <= LOADED_ROWS; first += PER_REQUEST) {
    const records = Array.from({ length: PER_REQUEST }, (_, i) => record(first + i));
    total += await million.request("POST", RECORDS, { records });
  }
  return { value: total, repetitions: 1 };
}

function record(id: number): { fields: Record<string, unknown> } {
  const cells = millionRowOf(id);
  return { fields: Object.fromEntries(MILLION_COLUMNS.map((column, i) => [column.id, cells[i]])) };
}

/** Changes the formula of a column each time, so that all of its cells are recomputed. */
function formulaFigure(name: string, id: string, text: string): ComparedFigure {
  let turn = 0;
  const columns = () => ({
    columns: [{ id, fields: { type: "Any", isFormula: true, formula: text.replace("{n}", String(turn++)) } }],
  });
  return {
    name,
    unit: "ms",
    prepare: (million) => million.request("POST", "/tables/Big/columns", columns()),
    measure: (million) => repeat(1, () => million.request("PATCH", "/tables/Big/columns", columns())),
  };
}
