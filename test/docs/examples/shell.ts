import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The result of a block that ran in the shell. */
export interface ShellOutcome {
  /** Exit status; null if it was killed after the timeout. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BLOCK_TIMEOUT_MS = 60_000;
/** The machine may do other work. */
const OUTPUT_TIMEOUT_MS = 30_000;

/**
 * One `bash -eu` for all blocks of a page, so that variables, folders and background processes carry over, as in the
 * terminal of a reader.
 */
export class Shell implements AsyncDisposable {
  readonly #folder: string;
  readonly #scripts: string;
  readonly #process;
  readonly #done: AsyncIterator<string>;
  #count = 0;

  /**
   * @param folder the working directory
   * @param scripts a folder for the blocks and their output
   */
  constructor(folder: string, scripts: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#scripts = scripts;
    this.#process = Bun.spawn(["bash", "-eu"], {
      cwd: folder,
      env: { ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      // A process group of its own, so that background processes of the examples end with it.
      detached: true,
    });
    this.#done = linesOf(this.#process.stdout);
  }

  /** Runs shell code. `expectFailure`: in a subshell whose failure does not end the shell. */
  run(code: string, { expectFailure = false }: { readonly expectFailure?: boolean } = {}): Promise<ShellOutcome> {
    const script = join(this.#scripts, `${this.#count}.sh`);
    writeFileSync(script, code);
    return this.#execute(expectFailure ? `bash -eu ${quote(script)}` : `. ${quote(script)}`, expectFailure);
  }

  /** Runs a program in a file of the working directory, where it finds modules that examples have saved. */
  async runProgram(command: string, suffix: string, code: string): Promise<ShellOutcome> {
    const path = join(this.#folder, `.example-${this.#count}${suffix}`);
    writeFileSync(path, code);
    try {
      return await this.#execute(`${command} ${quote(path)}`, true);
    } finally {
      rmSync(path);
    }
  }

  async #execute(command: string, mayFail: boolean): Promise<ShellOutcome> {
    const output = ["out", "err"].map((name) => join(this.#scripts, `${this.#count}.${name}`));
    this.#count++;
    for (const path of output) closeSync(openSync(path, "w"));
    const [out = "", err = ""] = output;
    const redirected = `${command} </dev/null >${quote(out)} 2>${quote(err)}`;
    void this.#process.stdin.write(
      mayFail ? `status=0; ${redirected} || status=$?; echo $status\n` : `${redirected}\necho $?\n`,
    );
    void this.#process.stdin.flush();
    const timeout = setTimeout(() => this.#kill(), BLOCK_TIMEOUT_MS);
    try {
      const { value, done } = await this.#done.next();
      const status = done ? await this.#process.exited.then(() => this.#process.exitCode) : Number(value);
      return { status, stdout: readFileSync(out, "utf8"), stderr: readFileSync(err, "utf8") };
    } finally {
      clearTimeout(timeout);
    }
  }

  #kill(): void {
    signalGroup(this.#process.pid, "SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    await this.#process.exited;
  }
}

/** A block that runs in a terminal of its own until the next one of that name, or the end of the page. */
export class BackgroundProcess implements AsyncDisposable {
  readonly #output: string;
  readonly #process;
  #readTo = 0;

  /** @param output the file for what it prints */
  constructor(code: string, folder: string, output: string, env: Readonly<Record<string, string>>) {
    this.#output = output;
    const descriptor = openSync(output, "w");
    this.#process = Bun.spawn(["bash", "-eu", "-c", code], {
      cwd: folder,
      env: { ...env },
      stdin: "ignore",
      stdout: descriptor,
      stderr: descriptor,
      detached: true,
    });
    closeSync(descriptor);
  }

  /**
   * Waits until the output since the last call is accepted.
   * @returns null, or the output if that does not happen in time, or the process has ended before
   */
  async waitFor(isAccepted: (output: string) => boolean): Promise<string | null> {
    const until = performance.now() + OUTPUT_TIMEOUT_MS;
    for (;;) {
      const hasEnded = this.#process.exitCode !== null;
      const all = readFileSync(this.#output, "utf8");
      const output = all.slice(this.#readTo);
      if (isAccepted(output)) {
        this.#readTo = all.length;
        return null;
      }
      if (hasEnded || performance.now() > until) return output;
      await Bun.sleep(20);
    }
  }

  /** Stops it as Ctrl-C does, and waits for its end. */
  async stop(): Promise<void> {
    signalGroup(this.#process.pid, "SIGINT");
    await this.#process.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    signalGroup(this.#process.pid, "SIGKILL");
    await this.#process.exited;
  }
}

function signalGroup(pid: number, signal: "SIGINT" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The whole group has exited.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
