import { parseAllowedDestination, type AllowedDestination } from "../lib/network/allowed-destinations.ts";
import { commaList, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Allowed destinations of webhooks, and retries of failed deliveries. */
export const WEBHOOK_SETTINGS = {
  webhookAllow: setting<readonly AllowedDestination[]>({
    flag: "webhook-allow",
    env: "QUERN_WEBHOOK_ALLOW",
    placeholder: "LIST",
    defaultValue: [],
    about:
      "Allowed destinations of webhooks besides public https addresses: comma-separated hosts, host:port, networks (CIDR), or *.",
    parse: (text) => commaList(text).map(parseAllowedDestination),
  }),
  webhookRetryMs: setting({
    flag: "webhook-retry-ms",
    env: "QUERN_WEBHOOK_RETRY_MS",
    placeholder: "MS",
    defaultValue: 1000,
    about:
      "Delay in milliseconds before the first retry of a failed delivery; doubled with each retry, up to 64 times.",
    parse: (text) => integerBetween(text, 1, 3_600_000),
  }),
  webhookMaxAttempts: setting({
    flag: "webhook-max-attempts",
    env: "QUERN_WEBHOOK_MAX_ATTEMPTS",
    placeholder: "N",
    defaultValue: 20,
    about: "Number of attempts after which a delivery is postponed: further retries back off to one per hour.",
    parse: (text) => integerBetween(text, 1, 1000),
  }),
  webhookTimeoutMs: setting({
    flag: "webhook-timeout-ms",
    env: "QUERN_WEBHOOK_TIMEOUT_MS",
    placeholder: "MS",
    defaultValue: 10_000,
    about: "Timeout of one delivery in milliseconds, from connecting to the complete response.",
    parse: (text) => integerBetween(text, 10, 600_000),
  }),
  webhookPauseMs: setting({
    flag: "webhook-pause-ms",
    env: "QUERN_WEBHOOK_PAUSE_MS",
    placeholder: "MS",
    defaultValue: 50,
    about:
      "Minimum interval between deliveries to the same webhook in milliseconds; events in between are sent as one batch.",
    parse: (text) => integerBetween(text, 0, 60_000),
  }),
  webhookQueue: setting({
    flag: "webhook-queue",
    env: "QUERN_WEBHOOK_QUEUE",
    placeholder: "N",
    defaultValue: 100_000,
    about:
      "Maximum number of queued events per webhook. Beyond it the oldest are dropped, and counted in the webhook's usage.",
    parse: (text) => integerBetween(text, 1, 10_000_000),
  }),
} as const;
