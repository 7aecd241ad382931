/** `quern records export` as a process whose export does not end well, and what it keeps in memory. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { startQuern } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const ROWS = 2500;
const TEXT = "x".repeat(400);

let server: TestApp;
let listening: ReturnType<typeof Bun.serve>;
let doc: string;
/** Called before a page after the first one is answered. */
let beforeLater: (request: Request) => Promise<Response | undefined>;

beforeAll(async () => {
  server = await testApp();
  ({ doc } = await sampleDocument(server));
  await server.must("POST", `/api/docs/${doc}/tables`, {
    tables: [{ id: "Long", columns: [{ id: "Text", fields: { type: "Text" } }] }],
  });
  const records = Array.from({ length: ROWS }, (_, i) => ({ fields: { Text: `${i} ${TEXT}` } }));
  await server.must("POST", `/api/docs/${doc}/tables/Long/records`, { records });
  listening = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const isLater = request.url.endsWith("/records/list") && !(await request.clone().text()).includes('"start"');
      const isWorkbook = request.url.includes("/download/xlsx");
      return ((isLater || isWorkbook) && (await beforeLater(request))) || server.app.handle(request);
    },
  });
});
afterAll(async () => {
  await listening.stop(true);
  await server[Symbol.asyncDispose]();
});
beforeEach(() => {
  beforeLater = () => Promise.resolve(undefined);
});

interface Started {
  readonly args: readonly string[];
  readonly key?: string;
}

function startExport({ args, key = server.keys.owner }: Started) {
  const folder = tempFolder();
  const env = {
    QUERN_URL: `http://127.0.0.1:${listening.port}`,
    QUERN_API_KEY: key,
    XDG_CONFIG_HOME: tempFolder(),
    PATH: process.env["PATH"] ?? "",
  };
  const child = startQuern(
    ["records", "export", doc, "Long", ...args.map((each) => each.replace("FOLDER", folder))],
    env,
  );
  const outcome = async () => {
    const [out, err, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { status, out, err, files: readdirSync(folder) };
  };
  return { child, folder, outcome };
}

describe.each(["SIGINT", "SIGTERM"] as const)("%s in the middle of an export", (signal) => {
  test.each<[name: string, args: string[], rows: number]>([
    ["to a CSV file", ["--out", "FOLDER/long.csv"], 0],
    ["to a workbook", ["--out", "FOLDER/long.xlsx"], 0],
    ["to stdout", ["--format", "ndjson"], 2000],
  ])("%s ends it with 130, and leaves no part of a file", async (_, args, rows) => {
    const asked = Promise.withResolvers<undefined>();
    const never = Promise.withResolvers<undefined>();
    beforeLater = () => {
      asked.resolve(undefined);
      return never.promise;
    };
    const { child, outcome } = startExport({ args });
    const ended = outcome();
    await asked.promise;
    child.kill(signal);
    const { status, out, err, files } = await ended;
    never.resolve(undefined);
    expect({ status, err, files }).toEqual({ status: 130, err: "quern records export: Stopped\n", files: [] });
    // Complete lines, for a program that reads them on.
    expect(
      out
        .split("\n")
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { id: number }).id),
    ).toHaveLength(rows);
    expect(out === "" || out.endsWith("\n")).toBe(true);
  });
});

test("a key that is revoked in the middle of an export is named, with what to do, and no file is left", async () => {
  const { id, key } = await server.must<{ id: number; key: string }>("POST", "/api/profile/keys", { label: "export" });
  beforeLater = async () => {
    await server.must("DELETE", `/api/profile/keys/${id}`);
    return undefined;
  };
  const { outcome } = startExport({ args: ["--out", "FOLDER/long.csv"], key });
  const { status, err, files } = await outcome();
  expect({ status, files }).toEqual({ status: 1, files: [] });
  expect(err).toMatch(/API key of http:\/\/127\.0\.0\.1:\d+\)\n$/);
});

describe.skipIf(process.platform !== "linux")("memory", () => {
  /** Exports so many pages of 2,000 rows, of 0.9 MB each, and returns the peak of the process in MB. */
  async function peakOf(pages: number): Promise<number> {
    let left = pages - 1;
    const page = await server.must<{ records: unknown[] }>("POST", `/api/docs/${doc}/tables/Long/records/list`, {
      limit: 2000,
      cursor: "start",
      cellFormat: "iso",
    });
    beforeLater = async () => Response.json({ ...page, next: --left > 0 ? `page ${left}` : null });
    const { child, outcome, folder } = startExport({ args: ["--out", "FOLDER/long.csv"] });
    const { status, err } = await outcome();
    expect({ status, err }).toEqual({
      status: 0,
      err: `Wrote ${pages * 2000} records to ${join(folder, "long.csv")}\n`,
    });
    return (child.resourceUsage()?.maxRSS ?? 0) / 1e6;
  }

  test("does not grow with the number of pages", async () => {
    const short = await peakOf(20);
    const long = await peakOf(300);
    // The texts of the longer one alone have 220 MB more.
    expect(long - short).toBeLessThan(150);
  }, 60_000);
});
