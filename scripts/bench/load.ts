/** Load on a server from another process on another core: wrk if it is installed, else load-client.ts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onClientCore } from "./bench.ts";

const SECONDS = 4;
/** Time for the JIT compilers of server and client to optimize. */
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 8;

/** The request to repeat: GET, or POST if there is a body. */
export interface LoadRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the number of responses with status 200 per second, after a warm-up. */
export async function requestsPerSecond(request: LoadRequest): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "quern-load-"));
  const client = (seconds: number) =>
    Bun.which("wrk") ? wrk(request, folder, seconds) : builtInClient(request, seconds);
  try {
    await run(client(WARM_UP_SECONDS));
    // Waits until requests that the client abandoned have ended: they count against the document's request limit.
    await Bun.sleep(100);
    return await run(client(SECONDS));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(client: readonly string[]): Promise<number> {
  const child = Bun.spawn([...onClientCore, ...client], { stdout: "pipe", stderr: "inherit" });
  const output = await child.stdout.text();
  const rate = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(output)?.[1]);
  if ((await child.exited) !== 0 || !(rate > 0) || output.includes("Non-2xx"))
    throw new Error(`the load failed:\n${output}`);
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
