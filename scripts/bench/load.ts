/** Load on a server from another process on another core: wrk if it is installed, else load-client.ts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALL_CORES, onClientCore } from "./bench.ts";

const SECONDS = 4;
/** Time for the JIT compilers of server and client to optimize. */
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 8;
/** Upper bound of the requests of one run per second, so that no key of the warm-up repeats. */
const MAX_REQUESTS_PER_SECOND = 50_000;

/** The request to repeat: GET, or POST if there is a body. */
export interface LoadRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly keys?: LoadKeys;
}

/** Makes every request a different one: `{id}` and `{ids}` in its URL or body are replaced, `{ids}` by a list. */
export interface LoadKeys {
  /** Ids are from 1 to this number; none repeats in so many requests. */
  readonly rows: number;
  /** Distance of the ids of two requests, which shares no divisor with `rows`. */
  readonly step: number;
  /** Length of the list `{ids}`. */
  readonly listLength: number;
  /** A PATCH that is sent instead of every `every`-th request. */
  readonly write: { readonly path: string; readonly body: string; readonly every: number };
}

/** What a client process does: load-client.ts gets it as JSON. */
export interface LoadRun extends LoadRequest {
  readonly seconds: number;
  readonly connections: number;
  /** Number of the first request, which determines the ids. */
  readonly first: number;
  /** Number of requests, instead of a time. */
  readonly count?: number;
}

export interface LoadResult {
  /** Responses with status 200 per second, after the warm-up. */
  readonly perSecond: number;
  /** Number of requests, with those of the warm-up. */
  readonly requests: number;
}

/** Returns the number of responses with status 200 per second, after a warm-up. */
export async function requestsPerSecond(request: LoadRequest): Promise<number> {
  return (await measureLoad(request)).perSecond;
}

/** Sends requests from 8 connections for some seconds, after a warm-up. */
export async function measureLoad(request: LoadRequest): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), "quern-load-"));
  const client = (seconds: number, first: number) => {
    const run = { ...request, seconds, first, connections: CONNECTIONS };
    return Bun.which("wrk") ? wrk(run, folder) : builtInClient(run);
  };
  try {
    const warmUp = await run(client(WARM_UP_SECONDS, 0));
    // Waits until requests that the client abandoned have ended: they count against the document's request limit.
    await Bun.sleep(500);
    const { perSecond, requests } = await run(client(SECONDS, WARM_UP_SECONDS * MAX_REQUESTS_PER_SECOND));
    return { perSecond, requests: warmUp.requests + requests };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sends a number of requests from several connections, on all cores. Returns the seconds that they took. */
export async function secondsOfRequests(
  request: LoadRequest,
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<number> {
  const client = builtInClient({ ...request, count, connections, seconds: 0, first: 0 });
  const { perSecond } = await run(client, ["taskset", "-c", ALL_CORES]);
  return count / perSecond;
}

async function run(client: readonly string[], under: readonly string[] = onClientCore): Promise<LoadResult> {
  const child = Bun.spawn([...under, ...client], { stdout: "pipe", stderr: "inherit" });
  const output = await child.stdout.text();
  const perSecond = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(output)?.[1]);
  const requests = Number(/(\d+) requests in /.exec(output)?.[1]);
  if ((await child.exited) !== 0 || !(perSecond > 0) || !(requests > 0) || output.includes("Non-2xx"))
    throw new Error(`the load failed:\n${output}`);
  return { perSecond, requests };
}

function wrk(load: LoadRun, folder: string): string[] {
  const { url, headers, body, keys, seconds, connections } = load;
  const script = join(folder, "request.lua");
  if (keys) writeFileSync(script, luaScript(load, keys));
  else if (body !== undefined) writeFileSync(script, `wrk.method = "POST"\nwrk.body = ${luaText(body)}\n`);
  const given = Object.entries(headers).map(([name, value]) => `-H${name}: ${value}`);
  const options = keys || body !== undefined ? ["-s", script] : [];
  return ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, ...options, ...given, keys ? new URL(url).origin : url];
}

const luaText = (value: string): string => `[==[${value}]==]`;

function luaScript({ url, body, first }: LoadRun, { rows, step, listLength, write }: LoadKeys): string {
  return `
local n = ${first}
local path, body = ${luaText(url.slice(new URL(url).origin.length))}, ${body === undefined ? "nil" : luaText(body)}
local function fill(template, id)
  if template == nil then return nil end
  if not template:find("{ids}", 1, true) then return (template:gsub("{id}", tostring(id))) end
  local ids = {}
  for i = 0, ${listLength - 1} do ids[i + 1] = (id - 1 + i) % ${rows} + 1 end
  return (template:gsub("{ids}", table.concat(ids, ",")))
end
request = function()
  n = n + 1
  local id = (n * ${step}) % ${rows} + 1
  if n % ${write.every} == 0 then
    return wrk.format("PATCH", ${luaText(write.path)}, nil, fill(${luaText(write.body)}, id))
  end
  return wrk.format(body and "POST" or "GET", fill(path, id), nil, fill(body, id))
end
`;
}

const builtInClient = (asked: LoadRun): string[] => [
  process.execPath,
  join(import.meta.dir, "load-client.ts"),
  JSON.stringify(asked),
];
