import type { Config } from "../config.ts";
import { AppError, invalid } from "../errors.ts";
import { httpUrl } from "../lib/setting-parsers.ts";
import type { Command } from "./command.ts";
import { printResult } from "./with-context.ts";

const TIMEOUT_MS = 5000;

/** For supervisors of containers, where there may be no other program to ask with. */
export const status: Command = {
  name: "status",
  about:
    "Asks the running server whether it is well: exits with 0 when it is, with 1 when it is not or does not answer.",
  options: [
    { name: "url", takes: "URL", about: "Address of the server. Default: what QUERN_HOST and QUERN_PORT say." },
  ],
  async run(input) {
    const { url } = input.options;
    const address = url === undefined ? addressOf(input.config) : parseServerUrl(url);
    const answer = await checkStatus(`${address}/status?ready=1`);
    if (answer !== 200) throw new AppError("unavailable", `${address} answered ${answer}`);
    printResult(input, { status: "ok", address }, ["ok"]);
    return 0;
  },
};

function parseServerUrl(url: string): string {
  try {
    return httpUrl(url);
  } catch (error) {
    throw invalid(`--url ${(error as Error).message}`);
  }
}

/** A server that listens on all addresses is asked at this machine's own. */
function addressOf({ host, port }: Config): string {
  const reachableHost = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachableHost.includes(":") ? `[${reachableHost}]` : reachableHost}:${port}`;
}

/** @throws AppError `unavailable` when nobody answers in time */
async function checkStatus(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw new AppError("unavailable", `${new URL(url).origin} does not answer: ${(error as Error).message}`);
  }
}
