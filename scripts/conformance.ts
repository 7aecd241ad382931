/** The work of `scripts/conformance`: sets a server up as the cases expect it, replays them, compares with the floor. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import floor from "../test/conformance-floor.json";
import { EXECUTABLE, startServer, type RunningServer } from "./running-server.ts";

const PEOPLE = { owner: "Olive Owner", editor: "Eddie Editor", viewer: "Vera Viewer", stranger: "Sam Stranger" };
const ORG = "team";

interface Steps {
  passed: number;
  failed: number;
  perArea: Record<string, { passed: number; failed: number }>;
}

const { values: args } = parseArgs({
  options: {
    cases: { type: "string" },
    only: { type: "string" },
    verbose: { type: "boolean", default: false },
    /** Words that run the program: `qemu-aarch64-static -L DIR dist/quern-linux-arm64`. */
    executable: { type: "string", default: EXECUTABLE },
  },
});
if (args.cases === undefined) throw new Error("usage: scripts/conformance --cases DIR [--only TEXT] [--verbose]");
const from = resolve(process.env["CASES_FROM"] ?? ".", args.cases);
const fixtures = resolve(from, "../fixtures");
const isShown = args.verbose || args.only !== undefined;
const work = await mkdtemp(join(tmpdir(), "quern-conformance-"));
try {
  const jobs = (args.only === undefined ? await caseFiles() : [args.only]).map(
    (only) => () => replay<Steps>("check.ts", ["--cases", join(from, "cases"), "--only", only]),
  );
  // What waits for deliveries leaves the processor free, so more jobs run than there are cores.
  const steps = sum(await together(jobs, isShown ? 1 : 4));
  const files = args.only === undefined ? await replayFiles() : undefined;
  process.exitCode = report(steps, files);
} finally {
  await rm(work, { recursive: true });
}

/** The files of cases, those of the last area first: they wait the longest. */
async function caseFiles(): Promise<string[]> {
  const files = await readdir(join(from, "cases"), { recursive: true });
  return files
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .toReversed();
}

/** Runs one of the checkers against a fresh server and gives what it writes; what it prints is shown on demand. */
async function replay<T>(checker: string, more: readonly string[]): Promise<T> {
  await using server = await startServer({
    executable: args.executable.split(" "),
    settings: { QUERN_WEBHOOK_ALLOW: "127.0.0.0/8,localhost,[::1]", QUERN_MAX_PARALLEL: "0", QUERN_LOG_LEVEL: "warn" },
  });
  const target = join(work, `${server.pid}-target.json`);
  const out = join(work, `${server.pid}-out.json`);
  await Bun.write(target, JSON.stringify(await setUp(server)));
  const words = [process.execPath, join(from, checker), "--target", target, "--json", out, ...more];
  await Bun.spawn(words, { stdout: isShown ? "inherit" : "ignore", stderr: "inherit" }).exited;
  return (await Bun.file(out).json()) as T;
}

/** Makes the people and the team site that the cases count on. */
async function setUp({ address, command }: RunningServer) {
  const users: Record<string, { email: string; name: string; key: string }> = {};
  for (const [who, name] of Object.entries(PEOPLE)) {
    const email = `${who}@example.com`;
    await command("user", "add", "--email", email, "--name", name);
    const { key } = await command<{ key: string }>("key", "create", "--email", email);
    users[who] = { email, name, key };
  }
  await command("org", "create", "--domain", ORG, "--name", "Team site", "--owner", "owner@example.com");
  return { baseUrl: address, org: ORG, users };
}

/** Does so many of the jobs at a time; gives their results in order. */
async function together<T>(jobs: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const results: T[] = [];
  const left = jobs.entries();
  const worker = async () => {
    for (const [index, job] of left) results[index] = await job();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

function sum(all: readonly Steps[]): Steps {
  const total: Steps = { passed: 0, failed: 0, perArea: {} };
  for (const { passed, failed, perArea } of all) {
    total.passed += passed;
    total.failed += failed;
    for (const [area, n] of Object.entries(perArea)) {
      const before = total.perArea[area] ?? { passed: 0, failed: 0 };
      total.perArea[area] = { passed: before.passed + n.passed, failed: before.failed + n.failed };
    }
  }
  return total;
}

async function replayFiles(): Promise<Record<string, unknown>> {
  const documents = (await readdir(join(fixtures, "grist"))).filter((name) => name.endsWith(".grist"));
  const paths = documents.toSorted().map((name) => join(fixtures, "grist", name));
  return replay("files.ts", ["--expected", join(fixtures, "expected"), ...paths]);
}

/** Prints the figures; the exit status is 1 when they are below the floor. */
function report({ passed, failed, perArea }: Steps, files: Record<string, unknown> | undefined): number {
  for (const [area, n] of Object.entries(perArea).toReversed())
    console.log(`${area.padEnd(16)} ${share(n.passed, n.failed)}`);
  const total = `${"all steps".padEnd(16)} ${share(passed, failed)}`;
  console.log(files ? `${total}, at least ${floor.steps} must pass` : total);
  if (!files) return 0;
  const different = Object.entries(files).filter(([, differences]) => differences !== 0);
  const same = Object.keys(files).length - different.length;
  console.log(`${"documents".padEnd(16)} ${share(same, different.length)}, at least ${floor.files} must be equal`);
  for (const [name, differences] of different) {
    console.log(`  ${name}: ${typeof differences === "number" ? `${differences} differences` : String(differences)}`);
  }
  const isBelow = passed < floor.steps || same < floor.files;
  if (isBelow) console.log("Conformance is below test/conformance-floor.json: see --verbose.");
  return isBelow ? 1 : 0;
}

function share(passed: number, failed: number): string {
  return `${String(passed).padStart(5)} of ${passed + failed}`;
}
