import { AppError } from "../errors.ts";
import type { DocumentRuntime } from "./document-runtime.ts";

/** Creates the runtime on first use, so that its modules are loaded only when needed. */
export function createLazyRuntime(create: () => Promise<DocumentRuntime>): DocumentRuntime {
  let runtime: DocumentRuntime | undefined;
  let creation: Promise<DocumentRuntime> | undefined;
  let isClosed = false;
  const getRuntime = async (): Promise<DocumentRuntime> => {
    if (isClosed) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
    return (runtime ??= await (creation ??= create()));
  };
  return {
    call: async (...args) => (runtime ?? (await getRuntime())).call(...args),
    next: async (...args) => (runtime ?? (await getRuntime())).next(...args),
    release: async (...args) => (runtime ?? (await getRuntime())).release(...args),
    createFile: async (...args) => (runtime ?? (await getRuntime())).createFile(...args),
    whileClosed: async (...args) => (runtime ?? (await getRuntime())).whileClosed(...args),
    measure: async () => (runtime ? runtime.measure() : { open: 0, threads: 0 }),
    async close() {
      isClosed = true;
      await (await creation)?.close();
    },
  };
}
