import type { DocumentRuntime } from "./document-runtime.ts";
import { shuttingDown } from "./shutting-down.ts";

/** Creates the runtime on first use, so that its modules are loaded only when needed. */
export function createLazyRuntime(create: () => Promise<DocumentRuntime>): DocumentRuntime {
  let runtime: DocumentRuntime | undefined;
  let creation: Promise<DocumentRuntime> | undefined;
  let isClosed = false;
  const getRuntime = async (): Promise<DocumentRuntime> => {
    if (isClosed) throw shuttingDown();
    return (runtime ??= await (creation ??= create()));
  };
  return {
    call: async (...args) => (runtime ?? (await getRuntime())).call(...args),
    next: async (...args) => (runtime ?? (await getRuntime())).next(...args),
    release: async (...args) => (runtime ?? (await getRuntime())).release(...args),
    released: async (...args) => (runtime ?? (await getRuntime())).released(...args),
    createFile: async (...args) => (runtime ?? (await getRuntime())).createFile(...args),
    warmUp: async (...args) => (runtime ?? (await getRuntime())).warmUp(...args),
    whileClosed: async (...args) => (runtime ?? (await getRuntime())).whileClosed(...args),
    beginBase: async (...args) => (runtime ?? (await getRuntime())).beginBase(...args),
    endBase: async (...args) => (runtime ? runtime.endBase(...args) : false),
    isStreaming: (uuid) => runtime?.isStreaming(uuid) ?? false,
    isOpen: (uuid) => runtime?.isOpen(uuid) ?? false,
    measure: async () => (runtime ? runtime.measure() : { open: 0, threads: 0, readers: 0, logBytes: 0 }),
    async close() {
      isClosed = true;
      await (await creation)?.close();
    },
  };
}
