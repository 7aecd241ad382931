import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, startServer } from "../running-server.ts";
import { ADD_BATCH_TABLES, checkBatches, type ClientBatches, REMOVE_BATCH_TABLES, sendBatches } from "./batches.ts";
import { createRandom, type Random } from "./random.ts";
import { deadlineAfter, type Outcome, type StressTest, type StressTestOptions } from "./stress-test.ts";

const ROUNDS = 200;
const QUICK_ROUNDS = 3;
/** Lines of a transaction. */
const STEP = 1000;
const MAX_STEPS = 6;
const MAX_KILL_MS = 600;
const JOB_TIMEOUT_MS = 60_000;

/**
 * NDJSON and batches are sent to a document until the server is killed at a random moment. The next server on the same data
 * continues the jobs: each accepted line is applied once, and at no moment a part of a transaction is visible. Each answered
 * batch is applied as a whole, and each other one as a whole or not.
 * Half of the requests with NDJSON are repeated then, with the same Idempotency-Key: their lines are applied once, whether or
 * not they were before.
 */
export const jobKill: StressTest = {
  name: "job-kill",
  async run(options) {
    const folder = await mkdtemp(join(tmpdir(), "quern-stress-jobs-"));
    try {
      return await killRepeatedly(options, join(folder, "data"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** A body that was sent: `lines` rows of the table Big whose `Body` is its number. */
interface Sent {
  readonly body: number;
  readonly lines: number;
  /** Sent again to the next server. */
  readonly isRepeated: boolean;
  /** Null until the server has answered. */
  status: number | null;
  /** The address of the job, if there is one. */
  job: string | null;
}

class Client {
  readonly #server: RunningServer;
  readonly #headers: Record<string, string>;
  readonly #document: string;

  constructor(server: RunningServer, key: string, document: string) {
    this.#server = server;
    this.#headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    this.#document = document;
  }

  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const init = { method, headers: this.#headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${this.#server.address}${path}`, init);
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Sends lines; half of the bodies add rows, the others add or update rows by their key. */
  async send(sent: Sent): Promise<void> {
    const isUpsert = sent.body % 2 === 0;
    const lineOf = (n: number) => {
      const fields = { Body: sent.body, Line: n };
      return JSON.stringify(isUpsert ? { require: { Key: `${sent.body}/${n}` }, fields } : fields);
    };
    const body = Array.from({ length: sent.lines }, (_, at) => `${lineOf(at + 1)}\n`).join("");
    const response = await fetch(`${this.#server.address}${this.#document}/tables/Lines/records`, {
      method: isUpsert ? "PUT" : "POST",
      headers: { ...this.#headers, "Content-Type": "application/x-ndjson", "Idempotency-Key": `body ${sent.body}` },
      body,
    });
    const text = await response.text();
    sent.status = response.status;
    sent.job = response.headers.get("location");
    if (response.status !== 200 && response.status !== 202) throw new Error(`${response.status} ${text}`);
  }

  /** Returns the numbers of rows, and of different lines among them, by body. */
  async rows(): Promise<Map<number, { rows: number; lines: number }>> {
    const sql = "select Body, count(*) as n, count(distinct Line) as lines from Lines group by Body";
    const found = await this.query<{ Body: number; n: number; lines: number }>(sql);
    return new Map(found.map(({ Body, n, lines }) => [Body, { rows: n, lines }]));
  }

  async query<T>(sql: string): Promise<readonly T[]> {
    const { records } = await this.json<{ records: { fields: T }[] }>("POST", `${this.#document}/sql`, { sql });
    return records.map(({ fields }) => fields);
  }

  /** Sends batches until the server is killed. */
  sendBatches(): Promise<ClientBatches[]> {
    return sendBatches(this.#server, { document: this.#document, headers: this.#headers });
  }

  async unfinishedJobs(): Promise<number> {
    const { jobs } = await this.json<{ jobs: { endedAt: string | null }[] }>("GET", `${this.#document}/jobs`);
    return jobs.filter(({ endedAt }) => endedAt === null).length;
  }
}

async function killRepeatedly(
  { isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, minutes, seed }: StressTestOptions,
  data: string,
): Promise<Outcome> {
  const random = createRandom(seed);
  const settings = { QUERN_DATA: data, QUERN_LOG_LEVEL: "warn" };
  let server = await startServer({ settings });
  await server.command("user", "add", "--email", "stress@example.com", "--name", "Stress test");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "stress@example.com");
  const document = await createDocument(new Client(server, key, ""));
  const problems: string[] = [];
  const until = deadlineAfter(minutes);
  let [round, lines, batches, next] = [0, 0, 0, 1];
  for (; round < rounds && performance.now() < until && problems.length === 0; round++) {
    try {
      const { sent, clients } = await sendUntilKilled(server, new Client(server, key, document), { random, next });
      next += sent.length;
      server = await startServer({ settings });
      const client = new Client(server, key, document);
      await Promise.all(sent.filter(({ isRepeated }) => isRepeated).map((one) => client.send(one)));
      await whenJobsEnd(client, sent);
      lines += check(sent, await client.rows());
      batches += await checkBatches((sql) => client.query(sql), clients);
      // The document stays small.
      await client.json("POST", `${document}/apply`, [["RemoveTable", "Lines"], ...REMOVE_BATCH_TABLES, ...ADD_TABLES]);
    } catch (error) {
      problems.push(`round ${round + 1}: ${(error as Error).message}`);
    }
  }
  await server.stop();
  return { figures: `${round} kills, ${lines} lines applied once, ${batches} whole batches`, problems };
}

const ADD_TABLES = [
  [
    "AddTable",
    "Lines",
    [
      { id: "Body", type: "Int" },
      { id: "Line", type: "Int" },
      { id: "Key", type: "Text" },
      { id: "Sum", type: "Any", isFormula: true, formula: "$Body + $Line" },
    ],
  ],
  ...ADD_BATCH_TABLES,
];

async function createDocument(client: Client): Promise<string> {
  const workspace = await client.json<number>("POST", "/api/orgs/current/workspaces", { name: "Stress test" });
  const uuid = await client.json<string>("POST", `/api/workspaces/${workspace}/docs`, { name: "Jobs" });
  await client.json("POST", `/api/docs/${uuid}/apply`, ADD_TABLES);
  return `/api/docs/${uuid}`;
}

async function sendUntilKilled(
  server: RunningServer,
  client: Client,
  { random, next }: { random: Random; next: number },
): Promise<{ sent: Sent[]; clients: ClientBatches[] }> {
  const count = 1 + random.below(3);
  const bodies = Array.from({ length: count }, (_, at): Sent => {
    const lines = random.chance(0.3) ? 1 + random.below(STEP) : STEP * random.below(MAX_STEPS) + 1 + random.below(STEP);
    return { body: next + at, lines, isRepeated: random.chance(0.5), status: null, job: null };
  });
  const refused: unknown[] = [];
  const batches = client.sendBatches().catch((error: unknown) => {
    refused.push(error);
    return [];
  });
  const sending = bodies.map((sent) =>
    client.send(sent).catch((error: unknown) => {
      // Otherwise the connection ended, because the server was killed.
      if (sent.status !== null) refused.push(error);
    }),
  );
  await Bun.sleep(random.next() * MAX_KILL_MS);
  await server.kill();
  await Promise.all(sending);
  const clients = await batches;
  if (refused.length > 0) throw new Error(String(refused[0]));
  return { sent: bodies, clients };
}

/** Waits until all jobs have ended. Until then, only whole transactions must be visible. */
async function whenJobsEnd(client: Client, sent: readonly Sent[]): Promise<void> {
  const until = performance.now() + JOB_TIMEOUT_MS;
  for (;;) {
    const rows = await client.rows();
    for (const { body, lines } of sent) {
      const found = rows.get(body)?.rows ?? 0;
      if (found % STEP !== 0 && found !== lines)
        throw new Error(`${found} rows of ${lines} lines are visible, which is no whole number of transactions`);
    }
    if ((await client.unfinishedJobs()) === 0) return;
    if (performance.now() > until) throw new Error("a job has not ended after a minute");
    await Bun.sleep(5);
  }
}

/** Returns the number of lines that were applied. @throws Error if one is missing or was applied twice */
function check(sent: readonly Sent[], rows: ReadonlyMap<number, { rows: number; lines: number }>): number {
  let total = 0;
  for (const { body, lines, status } of sent) {
    const found = rows.get(body) ?? { rows: 0, lines: 0 };
    const isWhole = found.rows === lines && found.lines === lines;
    // Without an answer, all lines or none.
    if (!isWhole && (status !== null || found.rows > 0))
      throw new Error(`${lines} lines, answered with ${status}: ${found.rows} rows of ${found.lines} lines`);
    total += found.rows;
  }
  return total;
}
