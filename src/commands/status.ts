import type { Config } from "../config.ts";
import { AppError, invalid } from "../errors.ts";
import { webAddress } from "../lib/setting-values.ts";
import type { Command } from "./command.ts";
import { print } from "./open.ts";

const WITHIN_MS = 5000;

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
    const address = url === undefined ? addressOf(input.config) : addressFrom(url);
    const answer = await ask(`${address}/status?ready=1`);
    if (answer !== 200) throw new AppError("unavailable", `${address} answered ${answer}`);
    print(input, { status: "ok", address }, ["ok"]);
    return 0;
  },
};

function addressFrom(url: string): string {
  try {
    return webAddress(url);
  } catch (error) {
    throw invalid(`--url ${(error as Error).message}`);
  }
}

/** A server that listens on all addresses is asked at this machine's own. */
function addressOf({ host, port }: Config): string {
  const own = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${own.includes(":") ? `[${own}]` : own}:${port}`;
}

/** @throws AppError `unavailable` when nobody answers in time */
async function ask(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS), redirect: "manual" });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw new AppError("unavailable", `${new URL(url).origin} does not answer: ${(error as Error).message}`);
  }
}
