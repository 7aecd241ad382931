import { guarded } from "../../lib/callbacks.ts";
import { CommandFailure, type CommandContext } from "../command.ts";

/** Where results go: stdout, or a file. */
export interface Output {
  /** Returns false when the reader has closed it: nothing more has to be written. */
  write(text: string): Promise<boolean>;
  /** The width of the terminal; null if it is not a terminal. */
  readonly columns: number | null;
}

export async function openOutput(context: CommandContext): Promise<Output> {
  const streams = await context.streams?.();
  if (streams) return streams;
  return {
    columns: null,
    write: async (text) => {
      context.out(text.replace(/\n$/, ""));
      return true;
    },
  };
}

/** Returns a signal that is aborted by SIGINT and SIGTERM. */
export function stopSignal(context: CommandContext): AbortSignal {
  const controller = new AbortController();
  context.onStop(guarded(() => controller.abort()));
  return controller.signal;
}

/** Waits, or throws CommandFailure `stopped` when the command is stopped before. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<undefined>();
  const onAbort = guarded(() => stopped.resolve(undefined));
  signal.addEventListener("abort", onAbort);
  await Promise.race([Bun.sleep(ms), stopped.promise]);
  signal.removeEventListener("abort", onAbort);
  throwIfStopped(signal);
}

/** @throws CommandFailure `stopped` */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new CommandFailure("stopped", "Stopped");
}
