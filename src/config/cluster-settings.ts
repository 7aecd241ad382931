import { invalid } from "../errors.ts";
import { duration, httpUrl, integerBetween, oneOf, postgresUrl } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** The replicated log, and the cluster of nodes that share it. */
export const CLUSTER_SETTINGS = {
  logTo: setting({
    flag: "log-to",
    env: "QUERN_LOG_TO",
    placeholder: "URL",
    defaultValue: null,
    about:
      "PostgreSQL database in which every acknowledged write is stored: postgres://user:password@host/name. Prefer the environment variable: other users of the machine can see flags.",
    isSecret: true,
    parse: postgresUrl,
  }),
  logRetention: setting({
    flag: "log-retention",
    env: "QUERN_LOG_RETENTION",
    placeholder: "TIME",
    defaultValue: 7 * 86_400_000,
    shown: "7d",
    about: "How far back `quern restore --from-log` reaches; older entries of the log are deleted.",
    parse: duration,
  }),
  cluster: setting({
    flag: "cluster",
    env: "QUERN_CLUSTER",
    placeholder: "URL",
    defaultValue: null,
    about:
      "PostgreSQL database of a cluster: several servers with the same URL serve one installation, and every acknowledged write is stored there. Excludes QUERN_LOG_TO. Prefer the environment variable: other users of the machine can see flags.",
    isSecret: true,
    parse: postgresUrl,
  }),
  clusterAddress: setting({
    flag: "cluster-address",
    env: "QUERN_CLUSTER_ADDRESS",
    placeholder: "URL",
    defaultValue: null,
    shown: "host and port",
    about:
      "Address at which the other nodes of the cluster reach this one, such as http://10.0.0.2:8080. Default: QUERN_HOST and QUERN_PORT, with the first address of the machine that is not a loopback address in place of 0.0.0.0.",
    parse: httpUrl,
  }),
  clusterStrict: setting<"0" | "1">({
    flag: "cluster-strict",
    env: "QUERN_CLUSTER_STRICT",
    placeholder: "0|1",
    defaultValue: "0",
    about:
      "With 1, a node that cannot reach PostgreSQL answers 503 at once. With 0, it answers reads until its lease ends, which takes at most 3 seconds; changes of access in that time are unknown to it.",
    parse: (text) => oneOf(text, ["0", "1"]),
  }),
  drainMs: setting({
    flag: "drain-ms",
    env: "QUERN_DRAIN_MS",
    placeholder: "MS",
    defaultValue: 5000,
    about:
      "How long a node of a cluster accepts and forwards requests after SIGTERM while it hands its documents over: time for load balancers to notice. A second SIGTERM skips it.",
    parse: (text) => integerBetween(text, 0, 600_000),
  }),
} as const;

type LogUrls = { readonly cluster: string | null; readonly logTo: string | null };

/** Returns the URL of the replicated log, of a cluster or of one server; null without a log. */
export const logUrlOf = ({ cluster, logTo }: LogUrls): string | null => cluster ?? logTo;

/** @throws AppError `invalid` if other nodes would use TLS and the server does not, or the other way round */
export function requireMatchingScheme(config: {
  readonly cluster: string | null;
  readonly clusterAddress: string | null;
  readonly tlsCert: string | null;
}): void {
  const { cluster, clusterAddress: address, tlsCert } = config;
  if (cluster === null || address === null) return;
  const isTls = address.startsWith("https:");
  if (isTls === (tlsCert !== null)) return;
  throw invalid(
    isTls
      ? `QUERN_CLUSTER_ADDRESS (${address}) is an https address, and the server has no certificate: set QUERN_TLS_CERT and QUERN_TLS_KEY, or use http`
      : `QUERN_CLUSTER_ADDRESS (${address}) is an http address, and the server accepts HTTPS only (QUERN_TLS_CERT): use https`,
  );
}

/** @throws AppError `invalid` if both are set */
export function requireOneLog({ cluster, logTo }: LogUrls): void {
  if (cluster === null || logTo === null) return;
  throw invalid("--cluster (QUERN_CLUSTER) excludes --log-to (QUERN_LOG_TO): a cluster has one log");
}
