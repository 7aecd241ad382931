import { oneOf, byteSize, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Worker threads of documents, and how long documents stay open. */
export const DOCUMENT_SETTINGS = {
  maxOpen: setting({
    flag: "max-open",
    env: "QUERN_MAX_OPEN",
    placeholder: "N",
    defaultValue: 100,
    about: "Maximum number of open documents; the least recently used is closed first.",
    parse: (text) => integerBetween(text, 1, 100_000),
  }),
  docThreads: setting({
    flag: "doc-threads",
    env: "QUERN_DOC_THREADS",
    placeholder: "N",
    defaultValue: 4,
    about:
      "Maximum number of worker threads for open documents, started on demand. 0 = open documents in the main thread.",
    parse: (text) => integerBetween(text, 0, 64),
  }),
  docReaders: setting({
    flag: "doc-readers",
    env: "QUERN_DOC_READERS",
    placeholder: "N",
    defaultValue: null,
    about:
      "Maximum number of threads that read documents beside changes, started on demand. Default: the number of processors.",
    parse: (text) => integerBetween(text, 1, 64),
  }),
  docIdleMs: setting({
    flag: "doc-idle-ms",
    env: "QUERN_DOC_IDLE_MS",
    placeholder: "MS",
    defaultValue: 60_000,
    about: "Idle time after which a document is closed, in milliseconds.",
    parse: (text) => integerBetween(text, 1000, 86_400_000),
  }),
  docHangMs: setting({
    flag: "doc-hang-ms",
    env: "QUERN_DOC_HANG_MS",
    placeholder: "MS",
    defaultValue: 600_000,
    about:
      "Maximum time in milliseconds that one request may block a worker thread; then the thread is terminated and replaced.",
    parse: (text) => integerBetween(text, 1000, 86_400_000),
  }),
  groupCommit: setting({
    flag: "group-commit",
    env: "QUERN_GROUP_COMMIT",
    placeholder: "on|off",
    defaultValue: "on",
    about: "on: concurrent writes to the same document share one fsync (group commit). off: one fsync per write.",
    parse: (text) => oneOf(text, ["on", "off"]),
  }),
  indexMemory: setting({
    flag: "index-memory",
    env: "QUERN_INDEX_MEMORY",
    placeholder: "SIZE",
    defaultValue: 128 * 1024 ** 2,
    shown: "128MB",
    about:
      "Memory for the indexes of open documents, divided among the worker threads. Indexes are built for filters and sorts that repeat, and the least recently used are dropped first.",
    parse: byteSize,
  }),
  maxMemory: setting({
    flag: "max-memory",
    env: "QUERN_MAX_MEMORY",
    placeholder: "SIZE",
    defaultValue: null,
    about: "Memory use above which idle documents are closed. Default: only the number of open documents is limited.",
    parse: byteSize,
  }),
};
