import { AppError } from "../errors.ts";
import type { Host } from "./host.ts";

/** A host that is made when it is first asked for something: what is not needed is not loaded. */
export function lazyHost(make: () => Promise<Host>): Host {
  let made: Host | undefined;
  let making: Promise<Host> | undefined;
  let isClosed = false;
  const host = async (): Promise<Host> => {
    if (isClosed) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
    return (made ??= await (making ??= make()));
  };
  return {
    call: async (...args) => (made ?? (await host())).call(...args),
    next: async (...args) => (made ?? (await host())).next(...args),
    release: async (...args) => (made ?? (await host())).release(...args),
    makeFile: async (...args) => (made ?? (await host())).makeFile(...args),
    whileClosed: async (...args) => (made ?? (await host())).whileClosed(...args),
    measure: async () => (made ? made.measure() : { open: 0, threads: 0 }),
    async close() {
      isClosed = true;
      await (await making)?.close();
    },
  };
}
