/** A query process, and each way in which a query in it can end. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { QueryProcess, type QueryProcessOptions } from "../../src/sql/query-process.ts";
import { frame, FRAME } from "../../src/sql/process-frames.ts";
import type { QueryJob } from "../../src/sql/query-job.ts";
import { TemporarySpace } from "../../src/lib/temporary-space.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { failureOf, jobOf, parseAnswer, RUNNER, sampleFile } from "./sample.ts";

const { path, server } = sampleFile();
const children: QueryProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child[Symbol.dispose]();
});
afterAll(() => server.close());

async function start(options: Partial<QueryProcessOptions> = {}): Promise<QueryProcess> {
  const child = await QueryProcess.start({ command: RUNNER, ...options });
  children.push(child);
  return child;
}
const ask = async (child: QueryProcess, statement: string, more: Partial<QueryJob> = {}) =>
  parseAnswer(await child.run(jobOf(path, statement, more))).records;
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
};
const refusal = (message: unknown): unknown => expect.objectContaining({ code: "invalid", message });

const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
/** Concatenates ten long texts at the same time, with 10 MB more per row. */
const HUNGRY = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
  select ${Array.from({ length: 10 }, (_, at) => `length(group_concat(b || ${at}))`).join(", ")}
  from (select printf('%.*c', 1000000, 'x') as b from n)`;
/** Sorts rows of 1 MB, which SQLite stores in temporary files. */
const SORTING = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
  select length(b) from (select i, zeroblob(1000000) || i as b from n) order by b desc, i`;

test("runs one query after the other, and continues after errors", async () => {
  const child = await start();
  expect(await ask(child, "select Name from People where id = ?", { args: [1] })).toEqual([
    { fields: { Name: "Ada" } },
  ]);
  expect(await failureOf(ask(child, "select nope"))).toMatchObject({
    message: expect.stringContaining("no such column: nope"),
  });
  expect(await ask(child, "select count(*) as n from Big")).toEqual([{ fields: { n: 2000 } }]);
  expect(child.isUsable).toBe(true);
});

test("large statements and large answers work", async () => {
  const child = await start();
  const text = "é".repeat(450_000);
  const [row] = await ask(child, `select '${text}' as t, ? as a`, { args: ["x".repeat(5_000_000)] });
  expect(row?.fields["t"]).toBe(text);
  expect(String(row?.fields["a"]).length).toBe(5_000_000);
  const rows = await ask(
    child,
    "select a.Text || b.Text || printf('%.*c', 600, 'x') as t from Big a, Big b limit 45000",
  );
  expect(rows).toHaveLength(45_000);
});

describe("the time limit is enforced", () => {
  test("by the process itself", async () => {
    const child = await start();
    await ask(child, "select 1");
    const began = performance.now();
    expect(await failureOf(child.run(jobOf(path, ENDLESS, { timeoutMs: 150 })))).toEqual(
      refusal("The statement was cancelled: it took longer than 150 milliseconds"),
    );
    await child.ended;
    expect(performance.now() - began).toBeGreaterThan(140);
    expect(isAlive(child.pid)).toBe(false);
    expect(child.isUsable).toBe(false);
  });

  test("by the server, if the process does not", async () => {
    // Reports ready and began, and nothing more.
    const octal = (bytes: Buffer) => [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    const silent = `printf '${octal(frame(FRAME.ready))}'; head -c 20 >/dev/null; printf '${octal(frame(FRAME.began))}'`;
    const child = await start({ command: ["/bin/sh", "-c", `${silent}; exec sleep 60`] });
    expect(await failureOf(child.run(jobOf(path, "select 1", { timeoutMs: 100 })))).toEqual(
      refusal("The statement was cancelled: it took longer than 100 milliseconds"),
    );
    await child.ended;
    expect(isAlive(child.pid)).toBe(false);
  });

  test("for many rows that are streamed", async () => {
    const child = await start();
    const statement = "select a.Text || b.Text from Big a, Big b, Big c";
    const job = jobOf(path, statement, { timeoutMs: 200, maxRows: 1e9, maxBytes: 1e12 });
    expect(await failureOf(child.run(job))).toMatchObject({ message: expect.stringContaining("cancelled") });
    await child.ended;
  });

  test("excluding the time waiting for the server to read", async () => {
    const child = await start();
    const statement = "select a.Text from Big a, Big b limit 40000";
    const began = performance.now();
    await ask(child, statement, { timeoutMs: 60_000 });
    // The query's own time depends on the machine's load.
    const timeoutMs = Math.max(1000, Math.ceil(5 * (performance.now() - began)));
    const answer = ask(child, statement, { timeoutMs });
    // Nothing is read meanwhile: the answer exceeds the pipe's buffer.
    Bun.sleepSync(timeoutMs + 500);
    expect(await answer).toHaveLength(40_000);
  });
});

test("temporary files of a sort are limited, and gone afterwards", async () => {
  const limitError = () => new Error("not used");
  const folder = tempFolder();
  const temporary = new TemporarySpace({ folder, maxBytes: 50_000_000, limitError });
  const child = await start({ temporary });
  expect(await failureOf(ask(child, SORTING))).toEqual(
    refusal("The statement exceeds the limit of temporary files (QUERN_TEMP_BYTES)"),
  );
  await child.ended;
  expect(temporary.usedBytes()).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

describe("the memory limit is enforced", () => {
  test("by the system", async () => {
    const child = await start({ residentKib: Number.POSITIVE_INFINITY });
    expect(await failureOf(ask(child, HUNGRY))).toEqual(refusal(expect.stringContaining("exceeds the memory limit")));
  });

  test("by the server, if the system does not", async () => {
    const child = await start({ dataKib: 2 ** 40, residentKib: 150 * 1024 });
    expect(await failureOf(ask(child, HUNGRY))).toEqual(refusal("The statement exceeds the memory limit"));
    await child.ended;
    expect(isAlive(child.pid)).toBe(false);
  });
});

test("when the process dies, only its query is rejected", async () => {
  const child = await start();
  const answer = child.run(jobOf(path, ENDLESS));
  process.kill(child.pid, "SIGKILL");
  expect(await failureOf(answer)).toEqual(refusal(expect.stringContaining("crashed the query process")));
  await child.ended;
  expect(child.isUsable).toBe(false);
  expect(await failureOf(child.run(jobOf(path, "select 1")))).toEqual(
    refusal(expect.stringContaining("crashed the query process")),
  );
});

test("Ctrl+C on the server does not stop a query that the server waits for", async () => {
  const child = await start();
  process.kill(child.pid, "SIGINT");
  process.kill(child.pid, "SIGTERM");
  expect(await ask(child, "select 1 as a")).toEqual([{ fields: { a: 1 } }]);
});

test("a program that cannot be started is reported as an error", async () => {
  expect(await failureOf(start({ command: ["/nowhere/quern"] }))).toBeInstanceOf(Error);
  expect(await failureOf(start({ command: ["true"] }))).toBeInstanceOf(Error);
});

describe("without its server, the process exits", () => {
  /** Starts a process without the server's part; its input ends when this process closes it. */
  const bare = () => Bun.spawn([...RUNNER], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });

  test("when its input ends", async () => {
    const child = bare();
    await child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("within the time limit, when the server died during a query", async () => {
    const child = bare();
    void child.stdin.write(frame(FRAME.job, JSON.stringify(jobOf(path, ENDLESS, { timeoutMs: 200 }))));
    await child.stdin.end();
    await child.exited;
    expect(child.signalCode).toBe("SIGALRM");
    expect(existsSync(`/proc/${child.pid}/fd`)).toBe(false);
  });
});
