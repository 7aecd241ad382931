import type { Config } from "../config.ts";

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
}

/** The exit status after an uncaught exception (`EX_SOFTWARE` in sysexits.h). */
export const EXIT_CRASHED = 70;

export interface CommandOption {
  readonly name: string;
  /** Absent for a switch. */
  readonly takes?: string;
  readonly about: string;
  readonly required?: boolean;
}

export interface CommandInput {
  readonly context: CommandContext;
  readonly config: Config;
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly switches: ReadonlySet<string>;
  readonly operands: readonly string[];
}

export interface Command {
  /** `user add`. */
  readonly name: string;
  readonly about: string;
  readonly options: readonly CommandOption[];
  /** Names of the positional arguments: `FILE`, or `[FILE]` for one that may be left out. */
  readonly operands?: readonly string[];
  /** True when every server setting is also an option of the command. */
  readonly takesSettings?: boolean;
  /** True when the command has succeeded even if its output could not be written. */
  readonly toleratesLostOutput?: boolean;
  /** Returns the exit status; throws AppError for expected failures. */
  run(input: CommandInput): Promise<number>;
}
