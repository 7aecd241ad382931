import { oneOf, byteSize, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** The settings about where documents live, and how they are kept open. */
export const DOCUMENT_SETTINGS = {
  maxOpen: setting({
    flag: "max-open",
    env: "QUERN_MAX_OPEN",
    placeholder: "N",
    defaultValue: 100,
    about: "Documents kept open at a time; the least recently used is closed first.",
    parse: (text) => integerBetween(text, 1, 100_000),
  }),
  docThreads: setting({
    flag: "doc-threads",
    env: "QUERN_DOC_THREADS",
    placeholder: "N",
    defaultValue: 4,
    about: "Threads that hold open documents, started as they are needed; 0 = documents live in the main thread.",
    parse: (text) => integerBetween(text, 0, 64),
  }),
  docIdleMs: setting({
    flag: "doc-idle-ms",
    env: "QUERN_DOC_IDLE_MS",
    placeholder: "MS",
    defaultValue: 60_000,
    about: "Milliseconds without any request after which a document is closed.",
    parse: (text) => integerBetween(text, 1000, 86_400_000),
  }),
  docHangMs: setting({
    flag: "doc-hang-ms",
    env: "QUERN_DOC_HANG_MS",
    placeholder: "MS",
    defaultValue: 600_000,
    about: "Milliseconds that one request may keep a thread of documents; beyond it the thread is ended and replaced.",
    parse: (text) => integerBetween(text, 1000, 86_400_000),
  }),
  groupCommit: setting({
    flag: "group-commit",
    env: "QUERN_GROUP_COMMIT",
    placeholder: "on|off",
    defaultValue: "on",
    about: "on: changes that wait for the same document are written to the disk together. off: each by itself.",
    parse: (text) => oneOf(text, ["on", "off"]),
  }),
  maxMemory: setting({
    flag: "max-memory",
    env: "QUERN_MAX_MEMORY",
    placeholder: "SIZE",
    defaultValue: null,
    about: "Memory beyond which documents that nobody uses just now are closed; by default only their number counts.",
    parse: byteSize,
  }),
};
