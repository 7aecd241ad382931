import type { Config } from "../config.ts";

/** What a command has of the world around it; tests give their own. */
export interface CommandContext {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  stdin(): Promise<string>;
  /** One line to stdout. */
  out(line: string): void;
  /** One line to stderr. */
  err(line: string): void;
  /** Waits until stdout has taken everything; true when some of it was lost. */
  isOutputLost(): Promise<boolean>;
  /** Calls `stop` when the process is asked to end. */
  onStop(stop: () => void): void;
  /** Calls `report` for promises that reject without anybody waiting for them, which would end the process otherwise. */
  onUnhandledRejection(report: (error: unknown) => void): void;
  /**
   * Calls `report` for exceptions that nothing catches, which would end the process otherwise. From the first one on the
   * process ends after a while with `EXIT_CRASHED`, whatever it does.
   */
  onUncaughtException(report: (error: unknown) => void): void;
}

/** The exit status after an exception that nothing caught; sysexits.h calls it EX_SOFTWARE. */
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
  /** Names of what follows the options: `FILE`. */
  readonly operands?: readonly string[];
  /** True when every setting of the server is an option of it too. */
  readonly takesSettings?: boolean;
  /** True when the command has done its work even if nobody could read its output. */
  readonly toleratesLostOutput?: boolean;
  /** The exit status; refusals are thrown as AppError. */
  run(input: CommandInput): Promise<number>;
}
