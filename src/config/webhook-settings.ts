import { parseAllowedDestination, type AllowedDestination } from "../lib/network/allowed-destinations.ts";
import { commaList, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Where webhooks may go, and how much is done for one that does not answer. */
export const WEBHOOK_SETTINGS = {
  webhookAllow: setting<readonly AllowedDestination[]>({
    flag: "webhook-allow",
    env: "QUERN_WEBHOOK_ALLOW",
    placeholder: "LIST",
    defaultValue: [],
    about:
      "Where webhooks may go besides public https addresses: hosts, host:port, networks (CIDR), separated by commas, or *.",
    parse: (text) => commaList(text).map(parseAllowedDestination),
  }),
  webhookRetryMs: setting({
    flag: "webhook-retry-ms",
    env: "QUERN_WEBHOOK_RETRY_MS",
    placeholder: "MS",
    defaultValue: 1000,
    about: "Milliseconds until a delivery that failed is tried again; doubled up to 64 times as much.",
    parse: (text) => integerBetween(text, 1, 3_600_000),
  }),
  webhookMaxAttempts: setting({
    flag: "webhook-max-attempts",
    env: "QUERN_WEBHOOK_MAX_ATTEMPTS",
    placeholder: "N",
    defaultValue: 20,
    about: "Tries after which a delivery is postponed: it is tried less and less often then, at last once an hour.",
    parse: (text) => integerBetween(text, 1, 1000),
  }),
  webhookTimeoutMs: setting({
    flag: "webhook-timeout-ms",
    env: "QUERN_WEBHOOK_TIMEOUT_MS",
    placeholder: "MS",
    defaultValue: 10_000,
    about: "Milliseconds that the receiver of a webhook may take, from connecting to its answer.",
    parse: (text) => integerBetween(text, 10, 600_000),
  }),
  webhookPauseMs: setting({
    flag: "webhook-pause-ms",
    env: "QUERN_WEBHOOK_PAUSE_MS",
    placeholder: "MS",
    defaultValue: 50,
    about: "Milliseconds between deliveries to the same webhook, in which further events gather to be sent together.",
    parse: (text) => integerBetween(text, 0, 60_000),
  }),
  webhookQueue: setting({
    flag: "webhook-queue",
    env: "QUERN_WEBHOOK_QUEUE",
    placeholder: "N",
    defaultValue: 100_000,
    about: "Events that may wait for one webhook; beyond that its oldest ones are dropped, and counted in its usage.",
    parse: (text) => integerBetween(text, 1, 10_000_000),
  }),
} as const;
