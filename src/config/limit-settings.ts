import { integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** How much callers may ask for at a time, and how long they may take. */
export const LIMIT_SETTINGS = {
  maxParallel: setting({
    flag: "max-parallel",
    env: "QUERN_MAX_PARALLEL",
    placeholder: "N",
    defaultValue: 10,
    about: "Requests under way for one document before further ones get 429; 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
  maxRequests: setting({
    flag: "max-requests",
    env: "QUERN_MAX_REQUESTS",
    placeholder: "N",
    defaultValue: 1000,
    about:
      "Requests under way in all before further ones get 503; a single caller gets 429 from half of them on. 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
  ratePerKey: setting({
    flag: "rate-per-key",
    env: "QUERN_RATE_PER_KEY",
    placeholder: "N",
    defaultValue: 0,
    about:
      "Requests of the API that a key may make in a minute before further ones get 429; also a person with a session, and all callers of one address without a key. 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 10_000_000),
  }),
  deadlineS: setting({
    flag: "deadline-s",
    env: "QUERN_DEADLINE_S",
    placeholder: "S",
    defaultValue: 60,
    about:
      "Seconds that the work of a request may take before its caller is told that it takes too long; imports, copies and downloads may take 60 times as long.",
    parse: (text) => integerBetween(text, 1, 86_400),
  }),
  jobTimeS: setting({
    flag: "job-time-s",
    env: "QUERN_JOB_TIME_S",
    placeholder: "S",
    defaultValue: 3600,
    about:
      "Seconds that a job may take: an import, or recalculating a whole document. Formulas that exceed it show TimeoutError; a job on a file that takes longer otherwise is ended with 400.",
    parse: (text) => integerBetween(text, 1, 86_400),
  }),
  clientTimeoutS: setting({
    flag: "client-timeout-s",
    env: "QUERN_CLIENT_TIMEOUT_S",
    placeholder: "S",
    defaultValue: 30,
    about:
      "Seconds that a client may fall behind 1 KB a second with the body of a request. Silence before the next request, and an answer that nobody takes, end the connection after 2.5 times as long, at least 20 seconds.",
    parse: (text) => integerBetween(text, 1, 100),
  }),
} as const;
