import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { createShim, type Shim } from "../fault-injection/shim.ts";
import { freePort } from "../free-port.ts";
import { readAddress } from "../running-server.ts";
import type { NodeNetwork } from "./node-networks.ts";

export interface ClusterNodeOptions {
  /** `node-1`: names its folder and its connections to PostgreSQL. */
  readonly name: string;
  /** Folder for the node's data folder and logs. */
  readonly folder: string;
  /** Without one, all nodes share the loopback address. */
  readonly network: NodeNetwork | undefined;
  readonly executable: readonly string[];
  /** Command prefix of its processes, within their network. */
  readonly under: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** Returns the URL of the log for a process, which `applicationName` identifies. */
  readonly logUrl: (applicationName: string) => string;
  /** Whether the wall clock can be shifted. */
  readonly hasClock: boolean;
}

const PORT = 8484;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;

/** One node: a process of the executable with a data folder of its own, which is started and ended any number of times. */
export class ClusterNode {
  readonly name: string;
  /** `http://10.91.2.2:8484`: the same after each start. */
  readonly address: string;
  /** How other nodes reach it. */
  readonly peerAddress: string;
  readonly data: string;
  readonly network: NodeNetwork | undefined;
  readonly #options: ClusterNodeOptions;
  readonly #port: number;
  readonly #shim: Shim | null;
  #child: Subprocess<"ignore", "pipe", Bun.BunFile> | null = null;
  #starts = 0;
  #executable: readonly string[];

  constructor(options: ClusterNodeOptions) {
    const { name, folder, network, hasClock } = options;
    this.#options = options;
    this.#executable = options.executable;
    this.name = name;
    this.network = network;
    this.data = join(folder, "data");
    mkdirSync(this.data, { recursive: true });
    this.#port = network ? PORT : freePort();
    this.address = `http://${network?.clientHost ?? "127.0.0.1"}:${this.#port}`;
    this.peerAddress = `http://${network?.peerHost ?? "127.0.0.1"}:${this.#port}`;
    this.#shim = hasClock ? createShim(folder, this.data) : null;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    if (!this.#child) throw new Error(`${this.name} is not running`);
    return this.#child.pid;
  }

  /** How often it was started. */
  get starts(): number {
    return this.#starts;
  }

  /** Starts the node and waits until it accepts requests. @throws Error with the end of its log if it does not start */
  async start(): Promise<void> {
    this.#starts++;
    const { under } = this.#options;
    const child = Bun.spawn([...this.#prefix(), ...under, ...this.#executable, "serve"], {
      env: this.#environment(),
      stdin: "ignore",
      stdout: "pipe",
      stderr: Bun.file(this.#logPath(this.#starts)),
    });
    this.#child = child;
    // Ends the output, too.
    const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
    const address = await readAddress(child.stdout);
    clearTimeout(timer);
    if (address !== undefined) return;
    await child.exited;
    throw new Error(`${this.name} did not start: ${(await this.readLog()).slice(-3000)}`);
  }

  /** Runs a command on its data folder, and returns its output with `--json`. */
  command<T>(...args: readonly string[]): Promise<T> {
    return this.commandWithInput<T>("", ...args);
  }

  /** Runs a command that reads a password. */
  async commandWithInput<T>(input: string, ...args: readonly string[]): Promise<T> {
    const words = [...this.#prefix(), ...this.#executable, ...args, "--json"];
    const stdin = Buffer.from(input);
    const child = Bun.spawn(words, { env: this.#environment(), stdin, stdout: "pipe", stderr: "pipe" });
    const [out, error, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (status !== 0) throw new Error(`quern ${args.join(" ")}: ${error || `status ${status}`}`);
    return JSON.parse(out) as T;
  }

  signal(signal: "SIGSTOP" | "SIGCONT" | "SIGTERM"): void {
    if (this.isRunning) process.kill(this.pid, signal);
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#child?.exited;
    this.#child = null;
  }

  /** Stops it by SIGTERM. @throws Error if it does not end, or with another status than 0 */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    const status = await child.exited;
    clearTimeout(timer);
    this.#child = null;
    if (status !== 0) throw new Error(`${this.name}: ${status} after SIGTERM: ${(await this.readLog()).slice(-3000)}`);
  }

  /** Starts run another executable from now on. */
  install(executable: readonly string[]): void {
    this.#executable = executable;
  }

  /** Removes its data folder. It must not run. */
  wipe(): void {
    rmSync(this.data, { recursive: true, force: true });
    mkdirSync(this.data);
  }

  /** Shifts its wall clock by this number of seconds. */
  setClock(offS: number): void {
    if (!this.#shim) throw new Error("the clock cannot be shifted");
    this.#shim.setClock(offS);
  }

  /** Returns the log of its last process. */
  async readLog(): Promise<string> {
    const file = Bun.file(this.#logPath(this.#starts));
    return (await file.exists()) ? file.text() : "";
  }

  /** Returns the logs of all its processes. */
  async readLogs(): Promise<string[]> {
    const logs: string[] = [];
    for (let start = 1; start <= this.#starts; start++) logs.push(await Bun.file(this.#logPath(start)).text());
    return logs;
  }

  /** Returns the errors that its processes have logged. */
  async readErrors(): Promise<string[]> {
    const lines = (await this.readLogs()).flatMap((log) => log.split("\n"));
    return lines.filter((line) => line.includes('"level":"error"') || /^(error|panic|Segmentation)/i.test(line));
  }

  /** The process ends with this one. */
  #prefix(): string[] {
    const dies = Bun.which("setpriv") === null ? [] : ["setpriv", "--pdeathsig=KILL"];
    return [...dies, ...(this.#options.network?.under ?? []), ...(this.#shim?.wrapper ?? [])];
  }

  #environment(): Record<string, string> {
    const { network, settings, logUrl, name } = this.#options;
    return {
      PATH: process.env["PATH"] ?? "",
      QUERN_DATA: this.data,
      QUERN_HOST: network ? "0.0.0.0" : "127.0.0.1",
      QUERN_PORT: String(this.#port),
      QUERN_CLUSTER: logUrl(`${name}.${this.#starts}`),
      QUERN_CLUSTER_ADDRESS: this.peerAddress,
      ...settings,
    };
  }

  #logPath(start: number): string {
    return join(this.#options.folder, `log-${start}`);
  }
}
