/** Load on a server from another process on another core: wrk where it is installed, else a client of our own. */
import { join } from "node:path";
import { onClientCore } from "./bench.ts";

const SECONDS = 4;
const CONNECTIONS = 8;

/** Requests answered with 200 a second. */
export async function requestsPerSecond(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const client = Bun.which("wrk")
    ? [
        "wrk",
        "-t1",
        `-c${CONNECTIONS}`,
        `-d${SECONDS}s`,
        ...Object.entries(headers).map(([k, v]) => `-H${k}: ${v}`),
        url,
      ]
    : [
        process.execPath,
        join(import.meta.dir, "load-client.ts"),
        JSON.stringify({ url, headers, SECONDS, CONNECTIONS }),
      ];
  const child = Bun.spawn([...onClientCore, ...client], { stdout: "pipe", stderr: "inherit" });
  const said = await child.stdout.text();
  const rate = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(said)?.[1]);
  if ((await child.exited) !== 0 || !(rate > 0) || said.includes("Non-2xx"))
    throw new Error(`the load failed:\n${said}`);
  return rate;
}
