import { readdirSync } from "node:fs";
import { anonymousMb } from "../bench/bench.ts";
import { createRandom } from "./random.ts";
import { createStressSite, type StressSite } from "./stress-site.ts";
import { pickRequest, type SendRequest } from "./soak-requests.ts";
import { deadlineAfter, type Outcome, type StressTest } from "./stress-test.ts";

const REQUESTS = 2_000_000;
const QUICK_REQUESTS = 20_000;
/** The quick form runs on machines with other load, with fewer requests. */
const QUICK_MS = 20_000;
const CLIENTS = 8;
const DOCUMENTS = 8;
const ROWS = 200;
const SAMPLE_MS = 1000;
/**
 * After this number of requests, all clients pause until the documents are closed and their memory is released: any
 * remaining growth is a leak. Under load, garbage moves memory by more than a leak would, and more at a higher rate.
 */
const IDLE_EVERY_REQUESTS = 50_000;
const CLOSE_AFTER_MS = 2000;
/**
 * Minimum and maximum length of a pause (threads that read files stay alive for ten seconds), and how long memory has
 * to be stable to end it.
 */
const MIN_IDLE_MS = 14_000;
const MAX_IDLE_MS = 30_000;
const STABLE_MS = 4000;
/** Maximum change of memory that counts as stable. */
const STABLE_MB = 1;
/** Maximum growth of idle memory and of files, by linear regression, in the second half. */
const MAX_GROWTH_MB = 12;
/** In a short run without pauses, memory has not yet reached its steady state: only fast leaks show. */
const QUICK_GROWTH_MB = 150;
const MAX_HANDLES = 20;

interface Sample {
  readonly requests: number;
  readonly memoryMb: number;
  readonly filesMb: number;
  readonly handles: number;
}

/** A day's requests of all kinds on several documents, as fast as possible: no resource may grow with their number. */
export const soak: StressTest = {
  name: "soak",
  async run({ isQuick, rounds: requests = isQuick ? QUICK_REQUESTS : REQUESTS, minutes, seed }): Promise<Outcome> {
    await using site = await createStressSite({
      settings: {
        QUERN_HISTORY_STATES: "50",
        QUERN_MAX_PARALLEL: "0",
        QUERN_DOC_IDLE_MS: String(CLOSE_AFTER_MS),
      },
    });
    const documents = await Promise.all(Array.from({ length: DOCUMENTS }, () => makeDocument(site)));
    const random = createRandom(seed);
    const samples: Sample[] = [];
    const atRest: Sample[] = [];
    let resting: Promise<void> | null = null;
    let nextRest = isQuick ? Number.POSITIVE_INFINITY : IDLE_EVERY_REQUESTS;
    const done = { count: 0, busy: 0, reset: 0 };
    const ask: SendRequest = async (method, path, { body, headers = {}, status = [200] } = {}) => {
      const isForm = body instanceof FormData;
      const send = () =>
        fetch(site.server.address + path, {
          method,
          headers: {
            Authorization: `Bearer ${site.key}`,
            ...(!isForm && { "Content-Type": "application/json" }),
            ...headers,
          },
          ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
          redirect: "manual",
        });
      // An idle connection may be closed at the moment it is used: such resets are counted, and retried once.
      const response = await send().catch((error: unknown) => {
        if (!isReset(error)) throw error;
        done.reset++;
        return send();
      });
      const content = await response.bytes().catch((error: unknown) => {
        throw new Error(`${method} ${path}: ${response.status}, cut off: ${String(error)}`, { cause: error });
      });
      if (response.status === 429 || response.status === 503) done.busy++;
      else if (!status.includes(response.status)) {
        throw new Error(`${method} ${path}: ${response.status} ${new TextDecoder().decode(content).slice(0, 500)}`);
      }
      done.count++;
      return new Response(content, { headers: response.headers });
    };
    const start = performance.now();
    const until = isQuick ? start + QUICK_MS : deadlineAfter(minutes);
    // Ignores a sample that fails because the server is stopping.
    const take = () =>
      sample(site, done.count).then(
        (one) => samples.push(one),
        () => {},
      );
    const sampling = setInterval(
      () => {
        if (!resting) void take();
      },
      isQuick ? SAMPLE_MS / 10 : SAMPLE_MS,
    );
    const rest = async () => {
      await Bun.sleep(MIN_IDLE_MS - STABLE_MS);
      atRest.push(await measureWhenStable(() => sample(site, done.count)));
      nextRest = done.count + IDLE_EVERY_REQUESTS;
      resting = null;
    };
    const client = async () => {
      while (done.count < requests && performance.now() < until) {
        if (done.count >= nextRest) await (resting ??= rest());
        const document = `/api/docs/${random.pick(documents)}`;
        await pickRequest(random).run({ ask, random, document, rows: ROWS, workspace: site.workspace });
      }
    };
    try {
      await Promise.all(Array.from({ length: CLIENTS }, client));
    } catch (error) {
      const log = await site.server.kill();
      return { figures: `${done.count} requests`, problems: [(error as Error).message, log.slice(-3000)] };
    } finally {
      clearInterval(sampling);
    }
    const rate = done.count / ((performance.now() - start) / 1000);
    const summary = `${done.count} requests (${rate.toFixed(0)}/s, ${done.busy} rejected as too many, ${done.reset} connections reset)`;
    if (isQuick) return evaluateGrowth(samples, { maxMb: QUICK_GROWTH_MB, summary });
    const growth = evaluateGrowth(atRest, { maxMb: MAX_GROWTH_MB, summary });
    const loaded = rangeOf(secondHalf(samples), ({ memoryMb }) => memoryMb);
    return { ...growth, figures: `${growth.figures}; under load ${loaded}` };
  },
};

/** Measures once memory no longer falls, or after the maximum wait. */
async function measureWhenStable(measure: () => Promise<Sample>): Promise<Sample> {
  const end = performance.now() + MAX_IDLE_MS - MIN_IDLE_MS;
  for (let before = await measure(); ;) {
    await Bun.sleep(STABLE_MS);
    const now = await measure();
    if (before.memoryMb - now.memoryMb <= STABLE_MB || performance.now() >= end) return now;
    before = now;
  }
}

const isReset = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ECONNRESET";

async function makeDocument({ api, makeDocument }: StressSite): Promise<string> {
  const document = await makeDocument(ROWS);
  const formula = (id: string, text: string) => ["AddColumn", "Big", id, { isFormula: true, formula: text }];
  await api.send("POST", `/docs/${document}/apply`, [
    formula("Total", "$Qty * $Price"),
    formula("InCity", "len(Big.lookupRecords(City=$City))"),
    ["AddColumn", "Big", "File", { type: "Attachments", isFormula: false }],
  ]);
  return document;
}

async function sample({ server, data }: StressSite, requests: number): Promise<Sample> {
  let bytes = 0;
  // Temporary files may disappear while they are counted.
  for (const file of new Bun.Glob("**/*").scanSync({ cwd: data })) bytes += Bun.file(`${data}/${file}`).size;
  const handles = readdirSync(`/proc/${server.pid}/fd`).length;
  return { requests, memoryMb: await anonymousMb(server.pid), filesMb: bytes / 1e6, handles };
}

const secondHalf = (samples: readonly Sample[]): readonly Sample[] => samples.slice(samples.length >> 1);

const rangeOf = (samples: readonly Sample[], of: (sample: Sample) => number): string => {
  const values = samples.map(of);
  return `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)} MB`;
};

function evaluateGrowth(samples: readonly Sample[], { maxMb, summary }: { maxMb: number; summary: string }): Outcome {
  const second = secondHalf(samples);
  const growth = (of: (sample: Sample) => number) =>
    slope(second.map((sample) => [sample.requests, of(sample)])) * rangeWidth(second);
  const memory = growth(({ memoryMb }) => memoryMb);
  const files = growth(({ filesMb }) => filesMb);
  const handles = growth(({ handles }) => handles);
  const exceeded: string[] = [];
  if (!(memory <= maxMb)) exceeded.push(`memory grew by ${memory.toFixed(1)} MB in the second half`);
  if (!(files <= maxMb)) exceeded.push(`files grew by ${files.toFixed(1)} MB in the second half`);
  if (!(handles <= MAX_HANDLES)) exceeded.push(`open files grew by ${handles.toFixed(0)} in the second half`);
  const memoryRange = rangeOf(second, ({ memoryMb }) => memoryMb);
  const filesRange = rangeOf(second, ({ filesMb }) => filesMb);
  const figures = `${summary}, in the second half memory ${memoryRange}, growing by ${memory.toFixed(1)} MB, files ${filesRange}, growing by ${files.toFixed(1)} MB`;
  return { figures, problems: [], exceeded };
}

/** Returns the slope of the least-squares line. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const over = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return over / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

const rangeWidth = (samples: readonly Sample[]): number =>
  (samples.at(-1)?.requests ?? 0) - (samples[0]?.requests ?? 0);
