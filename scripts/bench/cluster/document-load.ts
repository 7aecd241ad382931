/** Load on many documents from another process: wrk if it is installed, else this process. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DocumentLoad {
  /** All requests, which take turns. */
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** POST with this body; without, GET. */
  readonly body?: string;
  /** Connections to each address. */
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Sends requests for some seconds.
 * @returns the number of answers per second
 * @throws Error if a request was not answered with 200
 */
export async function loadDocuments(load: DocumentLoad): Promise<number> {
  const byOrigin = Map.groupBy(load.urls, (url) => new URL(url).origin);
  const send = Bun.which("wrk") === null ? loadFromHere : loadFromWrk;
  const rates = await Promise.all([...byOrigin.values()].map((urls) => send({ ...load, urls })));
  return rates.reduce((sum, rate) => sum + rate, 0);
}

async function loadFromWrk({ urls, headers, body, connections, seconds }: DocumentLoad): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "quern-load-"));
  try {
    const [first = ""] = urls;
    const paths = urls.map((url) => `"${new URL(url).pathname}${new URL(url).search}"`);
    const script = join(folder, "request.lua");
    const method = body === undefined ? `"GET"` : `"POST"`;
    await Bun.write(
      script,
      `local paths, n = {${paths.join(",")}}, 0
      request = function()
        n = n + 1
        return wrk.format(${method}, paths[n % #paths + 1], nil, ${body === undefined ? "nil" : `[==[${body}]==]`})
      end`,
    );
    const given = Object.entries(headers).map(([name, value]) => `-H${name}: ${value}`);
    const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", script];
    const child = Bun.spawn(["wrk", ...options, ...given, new URL(first).origin], { stdout: "pipe" });
    const output = await child.stdout.text();
    const perSecond = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(output)?.[1]);
    if (!(perSecond > 0) || /Non-2xx|Socket errors/.test(output)) throw new Error(`the load failed:\n${output}`);
    return perSecond;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function loadFromHere({ urls, headers, body, connections, seconds }: DocumentLoad): Promise<number> {
  const start = performance.now();
  let sent = 0;
  let answered = 0;
  const init = { headers, ...(body !== undefined && { method: "POST", body }) };
  const connection = async () => {
    while (performance.now() - start < seconds * 1000) {
      const url = urls[sent++ % urls.length] ?? "";
      const response = await fetch(url, init);
      const text = await response.text();
      if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
      answered++;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return answered / ((performance.now() - start) / 1000);
}
