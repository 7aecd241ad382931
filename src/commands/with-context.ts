import { existsSync } from "node:fs";
import { join } from "node:path";
import { closeContext, isServerRunning, lockDataFolder, openContext } from "../app.ts";
import { requireNoReplica, requireServerOfLog } from "../cluster/log-folder.ts";
import type { Config } from "../config.ts";
import { HOME_FILE, inspectHome } from "../home/home-upgrade.ts";
import { systemClock } from "../lib/time/clock.ts";
import { createLog, silentLog, type Log, type LogLevel } from "../lib/observability/log.ts";
import { AppError } from "../errors.ts";
import type { Context } from "../services/context.ts";
import type { CommandContext, CommandInput } from "./command.ts";

/** How a command uses the data folder. */
export interface ContextUse {
  /** Only reads: allowed in the folder of a stopped server with a replicated log. */
  readonly isReadOnly?: boolean;
}

/**
 * Opens the data folder for one operation, with or without a running server, and closes it again.
 * @throws AppError `notFound` if the folder has no data, which usually means that another folder was intended; and as
 * `withNewContext`
 */
export async function withContext<T>(
  input: CommandInput,
  action: (ctx: Context) => T | Promise<T>,
  use: ContextUse = {},
): Promise<T> {
  requireData(input.config);
  return withNewContext(input, action, use);
}

/** @throws AppError `notFound` if the folder has no data */
export function requireData({ data }: Config): void {
  if (!existsSync(join(data, HOME_FILE)))
    throw new AppError("notFound", `no data in the folder ${data}; name another one with --data or QUERN_DATA`);
}

/**
 * Like `withContext`, but creates the data folder if necessary.
 * @throws AppError `conflict` when a server of an older version uses the folder: opening it would migrate the home
 * database under that server, or when the folder's writes are in a replicated log and its server is stopped
 */
export async function withNewContext<T>(
  { context, config }: CommandInput,
  action: (ctx: Context) => T | Promise<T>,
  { isReadOnly = false }: ContextUse = {},
): Promise<T> {
  // A running server collects the commits of other processes; without one, the log would not have them.
  if (!isReadOnly && !isServerRunning(config.data)) requireServerOfLog(config.data);
  if (!isReadOnly) requireNoReplica(config.data);
  const isUpgrade = isUpgradeNeeded(config);
  using _lock = isUpgrade
    ? lockForUpgrade(config, `a server of an older version uses ${config.data}: restart it with this version first`)
    : null;
  const log = isUpgrade ? createCommandLog(context, "info") : silentLog;
  const ctx = openContext(config, { clock: systemClock, log });
  try {
    return await action(ctx);
  } finally {
    await closeContext(ctx);
  }
}

/** Creates the log of a command on stderr: as text in a terminal, otherwise as JSON. */
export const createCommandLog = (context: CommandContext, level: LogLevel): Log =>
  createLog({
    level,
    format: context.isTerminal === true ? "text" : "json",
    write: (text) => context.err(text.slice(0, -1)),
  });

function isUpgradeNeeded({ data }: Config): boolean {
  const home = inspectHome(data);
  return home !== null && home.from < home.to;
}

/** Locks a data folder. @throws AppError `conflict` with the given sentence while a server uses it */
export function lockForUpgrade(config: Config, sentence: string): Disposable {
  try {
    return lockDataFolder(config);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    throw new AppError("conflict", sentence);
  }
}

/** Prints a result as JSON with `--json`, otherwise as lines. */
export function printResult({ context, switches }: CommandInput, value: unknown, lines: readonly string[]): void {
  if (switches.has("json")) context.out(JSON.stringify(value));
  else for (const line of lines) context.out(line);
}
