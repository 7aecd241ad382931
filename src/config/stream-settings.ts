import { integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** How many may follow documents. */
export const STREAM_SETTINGS = {
  maxDocumentStreams: setting({
    flag: "max-document-streams",
    env: "QUERN_MAX_DOCUMENT_STREAMS",
    placeholder: "N",
    defaultValue: 100,
    about: "Streams of events of one document at a time before further ones get 429; 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
  maxStreams: setting({
    flag: "max-streams",
    env: "QUERN_MAX_STREAMS",
    placeholder: "N",
    defaultValue: 1000,
    about: "Streams of events of all documents at a time before further ones get 429; 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
} as const;
