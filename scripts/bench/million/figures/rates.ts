import type { Measurement } from "../../bench.ts";
import { type LoadRequest, measureLoad } from "../../load.ts";
import { processorMs } from "../../processor-time.ts";
import { type MillionBench, type MillionFigure, type MillionServer, WRITE_EVERY } from "../million-bench.ts";
import { coprimeStep } from "../rows.ts";

const READ_ROWS = 100;

/** 100 rows by 8 clients: the first ones, and those of distant ids, with one write in every 50 requests. */
export const rowRate: MillionFigure = {
  name: "row-rate",
  async run(bench) {
    await using million = await bench.open();
    const path = "/tables/Big/records";
    const first = await rate(bench, million, { url: `${million.url}${path}?limit=${READ_ROWS}` });
    const filter = `{"id":[{ids}]}`.replaceAll('"', "%22");
    const byIds = await rate(bench, million, { url: `${million.url}${path}?filter=${filter}` });
    return [
      ...figuresOf(`the first ${READ_ROWS} rows by 8 clients`, first, 9000),
      ...figuresOf(`${READ_ROWS} rows by their ids by 8 clients`, byIds, 9000),
    ];
  },
};

/** SQL of one row by 8 clients. */
export const sqlRate: MillionFigure = {
  name: "sql-rate",
  async run(bench) {
    await using million = await bench.open();
    const body = JSON.stringify({ sql: "select * from Big where id = ?", args: [0] }).replace("[0]", "[{id}]");
    const measured = await rate(bench, million, { url: `${million.url}/sql`, body });
    return figuresOf("SQL, one row by its id, by 8 clients", measured, 6000);
  },
};

interface Rate {
  readonly perSecond: number;
  /** Processor time of the server for each request. */
  readonly processorMs: number;
}

function figuresOf(name: string, { perSecond, processorMs }: Rate, min: number): Measurement[] {
  return [
    { name, value: perSecond, unit: "/s", target: { min } },
    { name: `${name}, processor time of a request`, value: processorMs, unit: "ms" },
  ];
}

async function rate(
  { prepared: { rows } }: MillionBench,
  { url, key, server }: MillionServer,
  request: Pick<LoadRequest, "url" | "body">,
): Promise<Rate> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const write = {
    path: `${new URL(url).pathname}/tables/Big/records`,
    body: `{"records":[{"id":{id},"fields":{"Note":"note {id}"}}]}`,
    every: WRITE_EVERY,
  };
  const keys = { rows, step: coprimeStep(rows), listLength: READ_ROWS, write };
  const before = processorMs(server.pid);
  const { perSecond, requests } = await measureLoad({ ...request, headers, keys });
  return { perSecond, processorMs: (processorMs(server.pid) - before) / requests };
}
