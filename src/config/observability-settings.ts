import type { LogLevel } from "../lib/observability/log.ts";
import { oneOf, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** The clients that may read `/metrics`: none, programs on this machine, or those with a token. */
export type MetricsAccess = "off" | "loopback" | { readonly token: string };

/** Shorter tokens could be guessed. */
const MIN_TOKEN_LENGTH = 16;

/** Metrics, logging and the audit log. */
export const OBSERVABILITY_SETTINGS = {
  metrics: setting<MetricsAccess>({
    flag: "metrics",
    env: "QUERN_METRICS",
    placeholder: "ACCESS",
    defaultValue: "off",
    about:
      "Access to /metrics: off, loopback (programs on this machine, not through a proxy), or a token of 16 or more characters, sent as Authorization: Bearer. Prefer the environment variable for a token.",
    parse: parseMetricsAccess,
  }),
  logLevel: setting<LogLevel>({
    flag: "log-level",
    env: "QUERN_LOG_LEVEL",
    placeholder: "LEVEL",
    defaultValue: "info",
    about:
      "Level of the log on stderr: debug (also refused requests, deliveries, opened documents), info (each request), warn (slow and failed requests), error.",
    parse: (text) => oneOf(text, ["debug", "info", "warn", "error"]),
  }),
  slowMs: setting({
    flag: "slow-ms",
    env: "QUERN_SLOW_MS",
    placeholder: "MS",
    defaultValue: 2000,
    about: "Threshold in milliseconds: slower requests and SQL statements are logged as warnings. 0 = off.",
    parse: (text) => integerBetween(text, 0, 3_600_000),
  }),
  auditKeep: setting({
    flag: "audit-keep",
    env: "QUERN_AUDIT_KEEP",
    placeholder: "DAYS",
    defaultValue: 365,
    about: "Days after which entries of the audit log are deleted. 0 = never.",
    parse: (text) => integerBetween(text, 0, 36_500),
  }),
} as const;

function parseMetricsAccess(text: string): MetricsAccess {
  if (text === "off" || text === "loopback") return text;
  // Only characters that a header can carry unescaped; any other token would never match.
  if (/^[\w.~+/=-]+$/.test(text) && text.length >= MIN_TOKEN_LENGTH) return { token: text };
  // The value is not repeated: it may be a token, and this message is printed.
  throw new Error(
    `must be off, loopback, or a token of at least ${MIN_TOKEN_LENGTH} characters out of letters, digits and -._~+/=`,
  );
}
