import { integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Limits of request rates, concurrency and durations. */
export const LIMIT_SETTINGS = {
  maxParallel: setting({
    flag: "max-parallel",
    env: "QUERN_MAX_PARALLEL",
    placeholder: "N",
    defaultValue: 10,
    about: "Maximum number of concurrent requests for one document; further ones get 429. 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
  maxRequests: setting({
    flag: "max-requests",
    env: "QUERN_MAX_REQUESTS",
    placeholder: "N",
    defaultValue: 1000,
    about:
      "Maximum number of concurrent requests; further ones get 503. A single caller may use half of them, then gets 429. 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 1_000_000),
  }),
  ratePerKey: setting({
    flag: "rate-per-key",
    env: "QUERN_RATE_PER_KEY",
    placeholder: "N",
    defaultValue: 0,
    about:
      "API requests per minute and key before further ones get 429; the same limit applies to each session, and to each address without a key. 0 = no limit.",
    parse: (text) => integerBetween(text, 0, 10_000_000),
  }),
  deadlineS: setting({
    flag: "deadline-s",
    env: "QUERN_DEADLINE_S",
    placeholder: "S",
    defaultValue: 60,
    about: "Request timeout in seconds; imports, copies and downloads may take 60 times as long.",
    parse: (text) => integerBetween(text, 1, 86_400),
  }),
  jobTimeS: setting({
    flag: "job-time-s",
    env: "QUERN_JOB_TIME_S",
    placeholder: "S",
    defaultValue: 3600,
    about:
      "Timeout of a job (an import, or recalculating a whole document) in seconds. Formulas that exceed it show TimeoutError; any other job on a file that exceeds it is cancelled with 400.",
    parse: (text) => integerBetween(text, 1, 86_400),
  }),
  clientTimeoutS: setting({
    flag: "client-timeout-s",
    env: "QUERN_CLIENT_TIMEOUT_S",
    placeholder: "S",
    defaultValue: 30,
    about:
      "Seconds that a client may fall behind a rate of 1 KB/s while sending a request body. Idle keep-alive connections, and clients that do not read the response, are disconnected after 2.5 times as long, at least 20 seconds.",
    parse: (text) => integerBetween(text, 1, 100),
  }),
} as const;
