import { parseAllowedPlace, type AllowedPlace } from "../lib/allowed-places.ts";
import { list, wholeNumber } from "../lib/setting-values.ts";
import { setting } from "./setting.ts";

/** Where webhooks may go, and how much is done for one that does not answer. */
export const WEBHOOK_SETTINGS = {
  webhookAllow: setting<readonly AllowedPlace[]>({
    flag: "webhook-allow",
    env: "QUERN_WEBHOOK_ALLOW",
    takes: "LIST",
    fallback: [],
    about:
      "Where webhooks may go besides public https addresses: hosts, host:port, networks (CIDR), separated by commas, or *.",
    parse: (text) => list(text).map(parseAllowedPlace),
  }),
  webhookRetryMs: setting({
    flag: "webhook-retry-ms",
    env: "QUERN_WEBHOOK_RETRY_MS",
    takes: "MS",
    fallback: 1000,
    about: "Milliseconds until a delivery that failed is tried again; doubled up to 64 times as much.",
    parse: (text) => wholeNumber(text, 1, 3_600_000),
  }),
  webhookMaxAttempts: setting({
    flag: "webhook-max-attempts",
    env: "QUERN_WEBHOOK_MAX_ATTEMPTS",
    takes: "N",
    fallback: 20,
    about: "Tries after which a delivery is postponed: it is tried less and less often then, at last once an hour.",
    parse: (text) => wholeNumber(text, 1, 1000),
  }),
  webhookTimeoutMs: setting({
    flag: "webhook-timeout-ms",
    env: "QUERN_WEBHOOK_TIMEOUT_MS",
    takes: "MS",
    fallback: 10_000,
    about: "Milliseconds that the receiver of a webhook may take, from connecting to its answer.",
    parse: (text) => wholeNumber(text, 10, 600_000),
  }),
  webhookPauseMs: setting({
    flag: "webhook-pause-ms",
    env: "QUERN_WEBHOOK_PAUSE_MS",
    takes: "MS",
    fallback: 50,
    about: "Milliseconds between deliveries to the same webhook, in which further events gather to be sent together.",
    parse: (text) => wholeNumber(text, 0, 60_000),
  }),
  webhookQueue: setting({
    flag: "webhook-queue",
    env: "QUERN_WEBHOOK_QUEUE",
    takes: "N",
    fallback: 100_000,
    about: "Events that may wait for one webhook; beyond that its oldest ones are dropped, and counted in its usage.",
    parse: (text) => wholeNumber(text, 1, 10_000_000),
  }),
} as const;
