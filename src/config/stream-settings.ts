import { byteSize, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Limits of event streams. */
export const STREAM_SETTINGS = {
  maxDocumentStreams: setting({
    flag: "max-document-streams",
    env: "QUERN_MAX_DOCUMENT_STREAMS",
    placeholder: "N",
    defaultValue: 100,
    about: "Maximum number of concurrent event streams of one document; further ones get 429. 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
  maxStreams: setting({
    flag: "max-streams",
    env: "QUERN_MAX_STREAMS",
    placeholder: "N",
    defaultValue: 1000,
    about: "Maximum number of concurrent event streams of all documents; further ones get 429. 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
  maxStreamMemory: setting({
    flag: "max-stream-memory",
    env: "QUERN_MAX_STREAM_MEMORY",
    placeholder: "SIZE",
    defaultValue: 64 * 1024 ** 2,
    shown: "64MB",
    about:
      "Maximum memory for results of live queries that clients have not read yet, such as 64MB. Further results wait until there is room.",
    parse: byteSize,
  }),
} as const;
