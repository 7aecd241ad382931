/** Load on a server from another process on another core: wrk where it is installed, else a client of our own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onClientCore } from "./bench.ts";

const SECONDS = 4;
const CONNECTIONS = 8;

/** What is asked over and over: GET, or POST where there is a body. */
export interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Requests answered with 200 a second. */
export async function requestsPerSecond(asked: Asked): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "quern-load-"));
  try {
    return await measure(Bun.which("wrk") ? wrk(asked, folder) : ownClient(asked));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(client: readonly string[]): Promise<number> {
  const child = Bun.spawn([...onClientCore, ...client], { stdout: "pipe", stderr: "inherit" });
  const said = await child.stdout.text();
  const rate = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(said)?.[1]);
  if ((await child.exited) !== 0 || !(rate > 0) || said.includes("Non-2xx"))
    throw new Error(`the load failed:\n${said}`);
  return rate;
}

function wrk({ url, headers, body }: Asked, folder: string): string[] {
  const script = join(folder, "post.lua");
  if (body !== undefined) writeFileSync(script, `wrk.method = "POST"\nwrk.body = [==[${body}]==]\n`);
  const post = body === undefined ? [] : ["-s", script];
  const given = Object.entries(headers).map(([name, value]) => `-H${name}: ${value}`);
  return ["wrk", "-t1", `-c${CONNECTIONS}`, `-d${SECONDS}s`, ...post, ...given, url];
}

const ownClient = (asked: Asked): string[] => [
  process.execPath,
  join(import.meta.dir, "load-client.ts"),
  JSON.stringify({ ...asked, SECONDS, CONNECTIONS }),
];
