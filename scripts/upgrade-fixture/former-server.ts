/** Runs the executable of an earlier version on a data folder. */
import { readAddress } from "../running-server.ts";

export interface FormerServer {
  /** `http://127.0.0.1:40123` */
  readonly address: string;
  /** Runs a command on the same data, and returns its output. */
  command(...args: string[]): Promise<string>;
}

/**
 * Webhooks of the fixture have a receiver on the loopback address that does not answer, and attachments above 1 KB are
 * stored beside the document.
 */
const SETTINGS = { QUERN_WEBHOOK_ALLOW: "127.0.0.1", QUERN_ATTACHMENTS_INSIDE: "1KB", QUERN_PORT: "0" };

/**
 * Runs `work` while a server runs on a data folder.
 * @throws Error with the server's output if it does not start, or does not stop with status 0
 */
export async function withFormerServer<T>(
  executable: string,
  folder: string,
  work: (server: FormerServer) => Promise<T>,
): Promise<T> {
  const env = { PATH: process.env["PATH"] ?? "", QUERN_DATA: folder, ...SETTINGS };
  const run = (...args: string[]) => Bun.spawn([executable, ...args], { env, stdout: "pipe", stderr: "pipe" });
  const child = run("serve");
  const log = child.stderr.text();
  const address = await readAddress(child.stdout);
  if (address === undefined) throw new Error(`the server did not start: ${await log}`);
  try {
    const command = async (...args: string[]) => {
      const process = run(...args);
      const [out, error, status] = await Promise.all([process.stdout.text(), process.stderr.text(), process.exited]);
      if (status !== 0) throw new Error(`quern ${args.join(" ")}: ${error}`);
      return out.trim();
    };
    const result = await work({ address, command });
    child.kill("SIGTERM");
    const status = await child.exited;
    if (status !== 0) throw new Error(`the server ended with status ${status}: ${await log}`);
    return result;
  } finally {
    child.kill("SIGKILL");
  }
}
