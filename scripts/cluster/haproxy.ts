/** HAProxy in front of nodes, with the configuration that docs/cluster.md documents. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";

export interface Haproxy extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  readonly address: string;
}

export interface HaproxyOptions {
  readonly servers: readonly { readonly name: string; readonly address: string }[];
  /** As documented, or each request to the next node. */
  readonly balance: "document" | "roundrobin";
}

const DOCS = join(import.meta.dir, "../../docs/cluster.md");
const START_TIMEOUT_MS = 10_000;

/** Returns the reason why there is no HAProxy; as root on Debian it is installed. */
export function haproxyMissing(): string | undefined {
  if (Bun.which("haproxy") !== null) return undefined;
  if (process.getuid?.() === 0 && Bun.which("apt-get") !== null) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    Bun.spawnSync(["apt-get", "update", "-qq"], { env });
    Bun.spawnSync(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "haproxy"], { env });
  }
  return Bun.which("haproxy") === null ? "HAProxy is not installed (package haproxy)" : undefined;
}

/**
 * Starts HAProxy and waits until it forwards requests.
 * @throws Error with its output if it does not start
 */
export async function startHaproxy(options: HaproxyOptions): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), "quern-haproxy-"));
  const port = freePort();
  const file = join(folder, "haproxy.cfg");
  await Bun.write(file, haproxyConfiguration(await documentedConfiguration(), { ...options, port }));
  const dies = Bun.which("setpriv") === null ? [] : ["setpriv", "--pdeathsig=KILL"];
  const output = Bun.file(join(folder, "output"));
  const child = Bun.spawn([...dies, "haproxy", "-db", "-f", file], { stdout: output, stderr: output });
  const stop = async () => {
    child.kill("SIGKILL");
    await child.exited;
    await rm(folder, { recursive: true, force: true });
  };
  const address = `http://127.0.0.1:${port}`;
  const until = performance.now() + START_TIMEOUT_MS;
  while (!(await isForwarding(address))) {
    if (child.exitCode === null && performance.now() < until) {
      await Bun.sleep(50);
      continue;
    }
    const text = await output.text();
    await stop();
    throw new Error(`HAProxy does not forward requests:\n${text}`);
  }
  return { address, [Symbol.asyncDispose]: stop };
}

/** Returns the documented configuration with other servers and another port, and without a log. */
export function haproxyConfiguration(
  documented: string,
  { servers, balance, port }: HaproxyOptions & { port: number },
): string {
  const lines: string[] = [];
  let areServersListed = false;
  for (const line of documented.split("\n")) {
    const [, indent, word] = /^(\s+)(\S+)/.exec(line) ?? [];
    if (indent === undefined || word === undefined) lines.push(line);
    else if (word === "bind") lines.push(`${indent}bind 127.0.0.1:${port}`);
    else if (word === "server") {
      const [, options = ""] = /^\s+server\s+\S+\s+\S+(.*)$/.exec(line) ?? [];
      if (areServersListed) continue;
      areServersListed = true;
      for (const { name, address } of servers) lines.push(`${indent}server ${name} ${new URL(address).host}${options}`);
    } else if (word === "balance" && balance === "roundrobin") lines.push(`${indent}balance roundrobin`);
    else if (!(word === "hash-type" && balance === "roundrobin") && word !== "log") lines.push(line);
  }
  return lines.join("\n");
}

/** @throws Error if the page has no configuration of HAProxy */
async function documentedConfiguration(): Promise<string> {
  const [, text] = /^```haproxy[^\n]*\n(.*?)^```/ms.exec(await Bun.file(DOCS).text()) ?? [];
  if (text === undefined) throw new Error("docs/cluster.md has no configuration of HAProxy");
  return text;
}

async function isForwarding(address: string): Promise<boolean> {
  const response = await fetch(`${address}/status`).catch(() => null);
  return response?.ok ?? false;
}
