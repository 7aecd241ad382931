import { closeContext, openContext } from "../app.ts";
import { systemClock } from "../lib/time/clock.ts";
import { silentLog } from "../lib/observability/log.ts";
import type { Context } from "../services/context.ts";
import type { CommandInput } from "./command.ts";

/** Opens the data folder for one operation, with or without a running server, and closes it again. */
export async function withContext<T>({ config }: CommandInput, action: (ctx: Context) => T | Promise<T>): Promise<T> {
  const ctx = openContext(config, { clock: systemClock, log: silentLog });
  try {
    return await action(ctx);
  } finally {
    await closeContext(ctx);
  }
}

/** Prints a result as JSON with `--json`, otherwise as lines. */
export function printResult({ context, switches }: CommandInput, value: unknown, lines: readonly string[]): void {
  if (switches.has("json")) context.out(JSON.stringify(value));
  else for (const line of lines) context.out(line);
}
