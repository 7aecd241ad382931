/** Load on a server from another process on another core: wrk where it is installed, else a client of our own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onClientCore } from "./bench.ts";

const SECONDS = 4;
/** For the runtimes at both ends to compile what runs often. */
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 8;

/** What is asked over and over: GET, or POST where there is a body. */
export interface LoadRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Requests answered with 200 a second, once it runs. */
export async function requestsPerSecond(request: LoadRequest): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "quern-load-"));
  const client = (seconds: number) =>
    Bun.which("wrk") ? wrk(request, folder, seconds) : builtInClient(request, seconds);
  try {
    await run(client(WARM_UP_SECONDS));
    // What the client left unanswered has to be over: it would count against the limit of a document's requests.
    await Bun.sleep(100);
    return await run(client(SECONDS));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(client: readonly string[]): Promise<number> {
  const child = Bun.spawn([...onClientCore, ...client], { stdout: "pipe", stderr: "inherit" });
  const said = await child.stdout.text();
  const rate = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(said)?.[1]);
  if ((await child.exited) !== 0 || !(rate > 0) || said.includes("Non-2xx"))
    throw new Error(`the load failed:\n${said}`);
  return rate;
}

function wrk({ url, headers, body }: LoadRequest, folder: string, seconds: number): string[] {
  const script = join(folder, "post.lua");
  if (body !== undefined) writeFileSync(script, `wrk.method = "POST"\nwrk.body = [==[${body}]==]\n`);
  const post = body === undefined ? [] : ["-s", script];
  const given = Object.entries(headers).map(([name, value]) => `-H${name}: ${value}`);
  return ["wrk", "-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, ...post, ...given, url];
}

const builtInClient = (asked: LoadRequest, seconds: number): string[] => [
  process.execPath,
  join(import.meta.dir, "load-client.ts"),
  JSON.stringify({ ...asked, seconds, CONNECTIONS }),
];
