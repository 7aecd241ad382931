import type { Config } from "../config.ts";
import { AppError, type ErrorCode, type Reason } from "../errors.ts";

/** The process environment of a command; tests inject their own. */
export interface CommandContext {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  stdin(): Promise<string>;
  /** Writes one line to stdout. */
  out(line: string): void;
  /** Writes one line to stderr. */
  err(line: string): void;
  /** Whether a person reads stderr in a terminal. */
  readonly isTerminal?: boolean;
  /** Waits until stdout is flushed; true when some of the output was lost. */
  isOutputLost(): Promise<boolean>;
  /** Calls `stop` on SIGTERM or SIGINT. */
  onStop(stop: () => void): void;
  /** Calls `reload` on SIGHUP, which ends the process otherwise. */
  onReload(reload: () => unknown): void;
  /** Calls `report` for unhandled promise rejections, which would otherwise end the process. */
  onUnhandledRejection(report: (error: unknown) => void): void;
  /**
   * Calls `report` for uncaught exceptions, which would otherwise end the process. After the first one the process
   * exits with `EXIT_CRASHED` after a grace period in any case.
   */
  onUncaughtException(report: (error: unknown) => void): void;
  /** Opens the standard streams, for commands that stream or ask; missing where there are none. */
  streams?(): Promise<CommandStreams>;
}

/** The standard streams of a command. */
export interface CommandStreams {
  /** The bytes of stdin. */
  input(): AsyncIterable<Uint8Array>;
  readonly isInputTerminal: boolean;
  /** Writes to stdout and waits until the reader has taken it. Returns false when the reader has closed it. */
  write(content: string | Uint8Array): Promise<boolean>;
  /** The width of the terminal at stdout; null if stdout is not a terminal. */
  readonly columns: number | null;
  /** Asks for a line at the terminal without showing it. Returns null if the person cancels. */
  askSecret(question: string): Promise<string | null>;
}

/** The exit status after an uncaught exception (`EX_SOFTWARE` in sysexits.h). */
export const EXIT_CRASHED = 70;

/** Exit statuses of failures. */
export const EXIT_STATUS = {
  /** Refused, by the server or by the command. */
  refused: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The server does not answer, or not now: trying again later can succeed. */
  unavailable: 3,
  /** Stopped by SIGINT or SIGTERM. */
  stopped: 130,
} as const;

/** A failure with an exit status of its own, and lines that are printed after its message. */
export class CommandFailure extends AppError {
  readonly exitStatus: number;
  readonly lines: readonly string[];

  constructor(kind: keyof typeof EXIT_STATUS, message: string, lines: readonly string[] = []) {
    super(CODES[kind], message);
    this.exitStatus = EXIT_STATUS[kind];
    this.lines = lines;
  }
}

const CODES: Record<keyof typeof EXIT_STATUS, ErrorCode | Reason> = {
  refused: "conflict",
  usage: "invalid",
  unavailable: "unavailable",
  stopped: "unavailable",
};

/** A command line that is invalid in a way that only the command notices. */
export const usageError = (message: string): CommandFailure => new CommandFailure("usage", message);

export interface CommandOption {
  readonly name: string;
  /** Absent for a switch. */
  readonly takes?: string;
  readonly about: string;
  readonly required?: boolean;
  /** True when the option can be given several times: its values are in `lists`. */
  readonly repeats?: boolean;
  /** All values, or where they come from, for completions. */
  readonly values?: readonly string[] | "files" | "folders" | "profiles";
}

export interface CommandInput {
  readonly context: CommandContext;
  readonly config: Config;
  readonly options: Readonly<Record<string, string | undefined>>;
  /** The values of options that repeat, in their order. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly switches: ReadonlySet<string>;
  readonly operands: readonly string[];
}

export interface Command {
  /** `user add`. */
  readonly name: string;
  readonly about: string;
  readonly options: readonly CommandOption[];
  /**
   * Names of the positional arguments: `FILE`, or `[FILE]` for one that may be left out; the last one may be
   * `[FILE…]`, for any number.
   */
  readonly operands?: readonly string[];
  /** The values of the positional arguments, for completions. */
  readonly values?: CommandOption["values"];
  /**
   * True for a client of a server, which takes the options of `client/options.ts` and has no data folder; "own" if it
   * takes only its own options.
   */
  readonly isClient?: boolean | "own";
  /** True when every server setting is also an option of the command. */
  readonly takesSettings?: boolean;
  /** True when the command has succeeded even if its output could not be written. */
  readonly toleratesLostOutput?: boolean;
  /** Returns the exit status; throws AppError for expected failures. */
  run(input: CommandInput): Promise<number>;
}
