import type { Config } from "../config.ts";
import { AppError, invalid } from "../errors.ts";
import { serverAddress } from "../lib/network/server-address.ts";
import { httpUrl } from "../lib/setting-parsers.ts";
import type { Command } from "./command.ts";
import { printResult } from "./with-context.ts";

const TIMEOUT_MS = 5000;

/** For container health checks, where no other HTTP client may be installed. */
export const status: Command = {
  name: "status",
  about: "Checks the health of the running server: exits with 0 when it is healthy, otherwise with 1.",
  options: [{ name: "url", takes: "URL", about: "URL of the server. Default: from QUERN_HOST and QUERN_PORT." }],
  async run(input) {
    const { url } = input.options;
    const address = url === undefined ? addressOf(input.config) : parseServerUrl(url);
    // A certificate is valid for the name of the server, not for the address that this machine reaches it by.
    const answer = await checkStatus(`${address}/status?ready=1`, { isAnyCertificateAccepted: url === undefined });
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

/** A server that listens on all addresses is reached by the loopback address. */
function addressOf({ host, port, tlsCert }: Config): string {
  const reachableHost = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return serverAddress({ isTls: tlsCert !== null, host: reachableHost, port });
}

/** @throws AppError `unavailable` on timeout */
async function checkStatus(
  url: string,
  { isAnyCertificateAccepted }: { isAnyCertificateAccepted: boolean },
): Promise<number> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "manual",
      tls: { rejectUnauthorized: !isAnyCertificateAccepted },
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw new AppError("unavailable", `${new URL(url).origin} does not answer: ${(error as Error).message}`);
  }
}
