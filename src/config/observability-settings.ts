import type { LogLevel } from "../lib/observability/log.ts";
import { oneOf, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Who may read `/metrics`: nobody, programs on this machine, or whoever knows a token. */
export type MetricsAccess = "off" | "loopback" | { readonly token: string };

/** Shorter ones could be found by trying. */
const MIN_TOKEN_LENGTH = 16;

/** What is told about the running server, and to whom. */
export const OBSERVABILITY_SETTINGS = {
  metrics: setting<MetricsAccess>({
    flag: "metrics",
    env: "QUERN_METRICS",
    placeholder: "ACCESS",
    defaultValue: "off",
    about:
      "Who may read /metrics: off, loopback (programs on this machine, not through a proxy), or a token of 16 characters or more that is sent as Authorization: Bearer; better in the environment than as a flag.",
    parse: parseMetricsAccess,
  }),
  logLevel: setting<LogLevel>({
    flag: "log-level",
    env: "QUERN_LOG_LEVEL",
    placeholder: "LEVEL",
    defaultValue: "info",
    about:
      "What is logged to stderr: debug (also refusals, deliveries, documents opened), info (each request), warn (slow and failed requests), error.",
    parse: (text) => oneOf(text, ["debug", "info", "warn", "error"]),
  }),
  slowMs: setting({
    flag: "slow-ms",
    env: "QUERN_SLOW_MS",
    placeholder: "MS",
    defaultValue: 2000,
    about: "Requests and SQL statements that take at least this many milliseconds are logged as warnings; 0 logs none.",
    parse: (text) => integerBetween(text, 0, 3_600_000),
  }),
} as const;

function parseMetricsAccess(text: string): MetricsAccess {
  if (text === "off" || text === "loopback") return text;
  // What a header can carry as it stands; anything else would never be matched.
  if (/^[\w.~+/=-]+$/.test(text) && text.length >= MIN_TOKEN_LENGTH) return { token: text };
  // The text itself is not repeated: it may be a token, and this is printed.
  throw new Error(
    `must be off, loopback, or a token of at least ${MIN_TOKEN_LENGTH} characters out of letters, digits and -._~+/=`,
  );
}
