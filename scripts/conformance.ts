/**
 * The implementation of `scripts/conformance`: replays recorded cases, documents and random suites against fresh
 * servers and compares the totals with `test/conformance-baseline.json`.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import listedExceptions from "../test/conformance-exceptions.json";
import baseline from "../test/conformance-baseline.json";
import { startAlternatingProxy } from "./cluster/alternating-proxy.ts";
import { startClusterSite } from "./cluster/cluster-site.ts";
import { EXECUTABLE, startServer } from "./running-server.ts";

const USERS = { owner: "Olive Owner", editor: "Eddie Editor", viewer: "Vera Viewer", stranger: "Sam Stranger" };
const ORG = "team";

/** Number of equal and different comparisons. */
interface Count {
  passed: number;
  failed: number;
}

/**
 * A step whose recorded response is intentionally different from ours: its file, its number as `check.ts` prints it,
 * and the reason.
 */
interface Exception {
  readonly case: string;
  readonly step: number;
  readonly reason: string;
}

const EXCEPTIONS: readonly Exception[] = listedExceptions;

/** A program with random data of its own that ends its output with `N passed, N failed`. */
interface RandomSuite {
  readonly name: string;
  /** Further figures in its output, as `N of N`, by their name in the baseline. */
  readonly figures?: Readonly<Record<string, RegExp>>;
}

const RANDOM_SUITES: readonly RandomSuite[] = [
  { name: "oracle" },
  { name: "queries" },
  { name: "values" },
  { name: "rules" },
  {
    name: "actions",
    figures: {
      "actions: steps": /(\d+) of (\d+) steps equal/,
      "actions: comparisons": /(\d+) of (\d+) comparisons of states equal/,
    },
  },
  { name: "imports", figures: { "imports: same texts": /(\d+) of (\d+) text files look the same/ } },
];

/** Selects the comparison of whole documents. */
const DOCUMENTS = "documents";

const SETTINGS = {
  QUERN_WEBHOOK_ALLOW: "127.0.0.0/8,localhost,[::1]",
  QUERN_MAX_PARALLEL: "0",
  QUERN_LOG_LEVEL: "warn",
  QUERN_SCIM: "on",
};

/** The area whose owner is an administrator of the installation. */
const SCIM_AREA = "scim";

const { values: args } = parseArgs({
  options: {
    cases: { type: "string" },
    /** Part of a case's path, the name of a suite, or `documents`. */
    only: { type: "string" },
    verbose: { type: "boolean", default: false },
    /** The command that runs the program: `qemu-aarch64-static -L DIR dist/quern-linux-arm64`. */
    executable: { type: "string", default: EXECUTABLE },
    /** Two nodes, and every request goes to another one than the one before. */
    cluster: { type: "boolean", default: false },
  },
});
if (args.cases === undefined) throw new Error("usage: scripts/conformance --cases DIR [--only TEXT] [--verbose]");
const from = resolve(process.env["CASES_FROM"] ?? ".", args.cases);
const fixtures = resolve(from, "../fixtures");
const isShown = args.verbose || args.only !== undefined;
const sets = RANDOM_SUITES.filter(({ name }) => args.only === undefined || args.only === name);
const includesDocuments = args.only === undefined || args.only === DOCUMENTS;
const files = await selectedCases();
const work = await mkdtemp(join(tmpdir(), "quern-conformance-"));
const problems: string[] = [];
try {
  // Cases that wait for deliveries do not use the processor, so more jobs run than there are cores.
  const atOnce = isShown ? 1 : 2 * cpus().length;
  const steps = reportCases(
    await together(
      files.map((file) => () => replayCases(file)),
      atOnce,
    ),
  );
  if (files.length > 0) report("all steps", steps, undefined);
  if (includesDocuments) await reportFiles();
  await together(
    sets.map((set) => () => replaySet(set)),
    isShown ? 1 : cpus().length,
  );
} finally {
  await rm(work, { recursive: true });
}
for (const problem of problems) console.log(`FAILED: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/**
 * Returns the files of cases to replay, or the text that selects them.
 * @throws Error when the selection matches nothing
 */
async function selectedCases(): Promise<string[]> {
  const { only } = args;
  if (only === undefined) return caseFiles();
  if (sets.length > 0 || includesDocuments) return [];
  if ((await caseFiles()).some((file) => file.includes(only))) return [only];
  const names = [...RANDOM_SUITES.map(({ name }) => name), DOCUMENTS].join(", ");
  throw new Error(`--only ${only} matches no case. Use part of a case's path, or one of ${names}.`);
}

/** Returns the files of cases, those of the last area first: they wait the longest. */
async function caseFiles(): Promise<string[]> {
  const files = await readdir(join(from, "cases"), { recursive: true });
  return files
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .toReversed();
}

/** A server, or a cluster. */
interface Target extends AsyncDisposable {
  readonly address: string;
  command<T>(...args: string[]): Promise<T>;
}

async function startTarget(): Promise<Target> {
  const executable = args.executable.split(" ");
  if (!args.cluster) return startServer({ executable, settings: SETTINGS });
  await using started = new AsyncDisposableStack();
  const site = started.use(await startClusterSite({ nodes: 2, executable, settings: () => SETTINGS }));
  const [first] = site.nodes;
  if (!first) throw new Error("no nodes");
  const { address } = started.use(await startAlternatingProxy(site.nodes.map((node) => node.address)));
  const resources = started.move();
  return {
    address,
    command: (...words) => first.command(...words),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Runs one of the programs against a fresh server; returns its output. */
async function run(program: string, more: readonly string[], isOwnerAdmin = false): Promise<string> {
  await using server = await startTarget();
  const target = join(work, `${crypto.randomUUID()}-target.json`);
  await Bun.write(target, JSON.stringify(await createFixtures(server, isOwnerAdmin)));
  const words = [process.execPath, join(from, program), "--target", target, ...more];
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit" });
  const output = await child.stdout.text();
  await child.exited;
  if (isShown) process.stdout.write(output);
  return output;
}

/** Creates the users and the team site that the cases require. */
async function createFixtures({ address, command }: Target, isOwnerAdmin: boolean) {
  const users: Record<string, { email: string; name: string; key: string }> = {};
  for (const [who, name] of Object.entries(USERS)) {
    const email = `${who}@example.com`;
    await command(
      "user",
      "add",
      "--email",
      email,
      "--name",
      name,
      ...(isOwnerAdmin && who === "owner" ? ["--admin"] : []),
    );
    const { key } = await command<{ key: string }>("key", "create", "--email", email);
    users[who] = { email, name, key };
  }
  await command("org", "create", "--domain", ORG, "--name", "Team site", "--owner", "owner@example.com");
  return { baseUrl: address, org: ORG, users };
}

/** Runs the jobs, at most `atOnce` concurrently; returns their results in order. */
async function together<T>(jobs: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const results: T[] = [];
  const left = jobs.entries();
  const worker = async () => {
    for (const [index, job] of left) results[index] = await job();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

interface Replayed {
  readonly perArea: Record<string, Count>;
  /** The steps that differ: `rules/rules-rows.json 19`. */
  readonly different: readonly string[];
}

async function replayCases(only: string): Promise<Replayed> {
  const out = join(work, `${only.replaceAll(/\W/g, "-")}.json`);
  const more = ["--cases", join(from, "cases"), "--only", only, "--json", out, ...(args.verbose ? ["--verbose"] : [])];
  const output = await run("check.ts", more, only.startsWith(SCIM_AREA));
  const different = [...output.matchAll(/^(\S+\.json) step (\d+) /gm)].map(([, file, step]) => `${file} ${step}`);
  const { perArea } = (await Bun.file(out).json()) as { perArea: Record<string, Count> };
  return { perArea, different };
}

/** Prints a line for each area, and reports listed exceptions that no longer differ. */
function reportCases(replayed: readonly Replayed[]): Count {
  const areas: Record<string, Count> = {};
  for (const { perArea } of replayed) {
    for (const [area, n] of Object.entries(perArea)) areas[area] = add(areas[area], n);
  }
  const different = new Set(replayed.flatMap((one) => one.different));
  for (const [area, n] of Object.entries(areas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    report(area, n, baselineOf(baseline.steps, area));
  if (args.only === undefined) {
    for (const { case: file, step } of EXCEPTIONS) {
      if (!different.delete(`${file} ${step}`)) problems.push(`${file} step ${step} is equal: remove the exception`);
    }
    for (const step of different) {
      if (baselineOf(baseline.steps, step.split("/")[0] ?? "") !== undefined)
        problems.push(`${step} differs unexpectedly`);
    }
  }
  return Object.values(areas).reduce(add, { passed: 0, failed: 0 });
}

async function reportFiles(): Promise<void> {
  const documents = (await readdir(join(fixtures, "grist"))).filter((name) => name.endsWith(".grist"));
  const paths = documents.toSorted().map((name) => join(fixtures, "grist", name));
  const output = await run("files.ts", ["--expected", join(fixtures, "expected"), ...paths]);
  report("documents", totals("files", output), baseline.files);
  for (const [line] of output.matchAll(/^\S.*: .*$/gm)) console.log(`  ${line}`);
}

async function replaySet({ name, figures = {} }: RandomSuite): Promise<void> {
  const output = await run(`${name}.ts`, ["--show", isShown ? "20" : "0"]);
  report(name, totals(name, output), baselineOf(baseline.sets, name));
  for (const [figure, pattern] of Object.entries(figures)) {
    const [, passed = "0", all = "0"] = pattern.exec(output) ?? [];
    const n = { passed: Number(passed), failed: Number(all) - Number(passed) };
    report(figure, n, baselineOf(baseline.sets, figure));
  }
}

/** Parses the last line of a program's output: `N passed, N failed`. */
function totals(program: string, output: string): Count {
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  if (passed === undefined) problems.push(`${program} ended without totals`);
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) };
}

function baselineOf(baselines: Readonly<Record<string, number>>, name: string): number | undefined {
  return baselines[name];
}

function add(a: Count | undefined, b: Count): Count {
  return { passed: (a?.passed ?? 0) + b.passed, failed: (a?.failed ?? 0) + b.failed };
}

/** Prints one figure and compares it with its minimum, if there is one. */
function report(name: string, { passed, failed }: Count, min: number | undefined): void {
  const all = passed + failed;
  const percent = all === 0 ? "" : ` (${((100 * passed) / all).toFixed(2)} %)`;
  console.log(`${name.padEnd(22)} ${passed} of ${all}${percent}${min === undefined ? "" : `, at least ${min}`}`);
  const isPart = args.only !== undefined && sets.length === 0 && !includesDocuments;
  if (min !== undefined && passed < min && !isPart) problems.push(`${name}: ${passed} instead of ${min}`);
}
