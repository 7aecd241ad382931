/** Hundreds of malicious statements against all defences together. */
import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { AppError } from "../../src/errors.ts";
import { QueryProcess } from "../../src/sql/query-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { jobOf, RUNNER, sampleFile, SECRET } from "./sample.ts";

const { path, folder, server } = sampleFile();
afterAll(() => server.close());

const elsewhere = tempFolder();
const outside = join(elsewhere, "vault.sqlite");
{
  using vault = new Database(outside, { create: true });
  vault.run("create table Vault (a text)");
  vault.run("insert into Vault values (?)", [SECRET]);
}
const texts = hostileTexts(outside);

const LIMIT_MS = 60;
/** How much longer than its limit a query may run. */
const GRACE_MS = 100;
/** Additional time for transferring a long statement or answer. */
const ON_THE_WAY_MS = 2000;
/** A busy machine may be late occasionally, but not every time. */
const TRIES = 8;
/** Processes that this test keeps busy. */
const WORKERS = 2;

/** The slowdown compared with an idle machine, by the number of runnable processes. */
function slowness(): number {
  const running = Number(
    / (\d+)\//.exec(existsSync("/proc/loadavg") ? readFileSync("/proc/loadavg", "latin1") : "")?.[1] ?? 0,
  );
  return Math.max(1, (running - WORKERS) / availableParallelism());
}

interface Outcome {
  readonly slowness: number;
  readonly answer: string;
  readonly error: unknown;
  readonly ms: number;
}

function isLate({ error, ms, slowness }: Outcome): boolean {
  const isInterrupted = error instanceof Error && error.message.includes("cancelled");
  return ms > LIMIT_MS + slowness * (GRACE_MS + (isInterrupted ? 0 : ON_THE_WAY_MS));
}

async function attempt(child: QueryProcess, statement: string): Promise<Outcome> {
  const began = performance.now();
  let answer = "";
  let error: unknown;
  try {
    const job = jobOf(path, statement, { timeoutMs: LIMIT_MS, maxRows: 5000, maxBytes: 1e6 });
    answer = new TextDecoder().decode((await child.run(job)) ?? undefined);
  } catch (thrown) {
    error = thrown;
  }
  return { answer, error, ms: performance.now() - began, slowness: slowness() };
}

/** Takes statements from the list until it is empty, one process at a time. */
async function work(list: Iterator<string>): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  let child = await QueryProcess.start({ command: RUNNER });
  for (let next = list.next(); !next.done; next = list.next()) {
    for (let i = 0; i < TRIES; i++) {
      const outcome = await attempt(child, next.value);
      outcomes.set(next.value, outcome);
      if (!child.isUsable) {
        child[Symbol.dispose]();
        child = await QueryProcess.start({ command: RUNNER });
      }
      if (!isLate(outcome)) break;
    }
  }
  child[Symbol.dispose]();
  return outcomes;
}

const contents = () =>
  ["People", "Big", "_grist_Tables", "_quern_outbox", "sqlite_master"].map((table) =>
    server.query(`select * from ${table} order by 1`).values(),
  );
const hash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
const state = () => ({
  contents: contents(),
  file: hash(path),
  vault: hash(outside),
  folders: [folder, elsewhere].map((one) => readdirSync(one).toSorted()),
});

test("none reads outside of the document, writes, or runs beyond its limit", async () => {
  expect(texts.length).toBeGreaterThan(200);
  const before = state();
  const list = texts.values();
  const outcomes = new Map(
    (await Promise.all(Array.from({ length: WORKERS }, () => work(list)))).flatMap((one) => [...one]),
  );
  expect(outcomes.size).toBe(texts.length);
  for (const [text, outcome] of outcomes) {
    const { answer, error } = outcome;
    const about = text.slice(0, 200);
    expect({ about, tells: answer.includes(SECRET) || String(error).includes(SECRET) }).toEqual({
      about,
      tells: false,
    });
    expect({ about, late: isLate(outcome) }).toEqual({ about, late: false });
    if (error === undefined) expect(JSON.parse(answer)).toMatchObject({ statement: text.toWellFormed() });
    else expect({ about, code: error instanceof AppError && error.code }).toEqual({ about, code: "invalid" });
  }
  expect(state()).toEqual(before);
});
