/**
 * Every setting of `quern serve` in one table, the source of parsing, `--help`, the documentation page and its test.
 * Flags take precedence over environment variables, which take precedence over defaults.
 */
import { FORMULA_SETTINGS } from "./config/formula-settings.ts";
import { IMPORT_SETTINGS } from "./config/import-settings.ts";
import { LIMIT_SETTINGS } from "./config/limit-settings.ts";
import { OBSERVABILITY_SETTINGS } from "./config/observability-settings.ts";
import { BACKUP_SETTINGS } from "./config/backup-settings.ts";
import { CLUSTER_SETTINGS, logUrlOf, requireMatchingScheme, requireOneLog } from "./config/cluster-settings.ts";
import { DOCUMENT_SETTINGS } from "./config/document-settings.ts";
import {
  givenProviderSettings,
  isProviderVariable,
  readProviders,
  type OidcProviderSettings,
} from "./config/oidc-settings.ts";
import { EMAIL_SETTINGS } from "./config/email-settings.ts";
import { setting, type Setting } from "./config/setting.ts";
import { SIGN_IN_SETTINGS } from "./config/sign-in-settings.ts";
import { SCIM_SETTINGS } from "./config/scim-settings.ts";
import { TLS_SETTINGS } from "./config/tls-settings.ts";
import { STREAM_SETTINGS } from "./config/stream-settings.ts";
import { WEBHOOK_SETTINGS } from "./config/webhook-settings.ts";
import { invalid } from "./errors.ts";
import {
  atMost,
  domainName,
  nonEmpty,
  commaList,
  oneOf,
  byteSize,
  httpUrl,
  integerBetween,
} from "./lib/setting-parsers.ts";

export const SETTINGS = {
  data: setting({
    flag: "data",
    env: "QUERN_DATA",
    placeholder: "DIR",
    defaultValue: "./data",
    about: "Data folder: the home database, documents, backups.",
    parse: nonEmpty,
  }),
  host: setting({
    flag: "host",
    env: "QUERN_HOST",
    placeholder: "HOST",
    defaultValue: "127.0.0.1",
    about: "Address to listen on; 0.0.0.0 for all interfaces.",
    parse: nonEmpty,
  }),
  port: setting({
    flag: "port",
    env: "QUERN_PORT",
    placeholder: "PORT",
    defaultValue: 8080,
    about: "Port to listen on; 0 picks a free one.",
    parse: (text) => integerBetween(text, 0, 65_535),
  }),
  ...TLS_SETTINGS,
  baseDomain: setting({
    flag: "base-domain",
    env: "QUERN_BASE_DOMAIN",
    placeholder: "DOMAIN",
    defaultValue: null,
    about: "Base domain of team sites: with example.org, the site team is served at team.example.org.",
    parse: domainName,
  }),
  singleOrg: setting({
    flag: "single-org",
    env: "QUERN_SINGLE_ORG",
    placeholder: "NAME",
    defaultValue: null,
    about: "Single-site mode: domain of the team site that all plain /api/… requests go to.",
    parse: (text) => nonEmpty(text).toLowerCase(),
  }),
  publicUrl: setting({
    flag: "public-url",
    env: "QUERN_PUBLIC_URL",
    placeholder: "URL",
    defaultValue: null,
    about: "Public URL of the server, for links and CSRF checks. Default: the URL of the request.",
    parse: httpUrl,
  }),
  docIds: setting<"integer" | "uuid" | "short">({
    flag: "doc-ids",
    env: "QUERN_DOC_IDS",
    placeholder: "KIND",
    defaultValue: "integer",
    about:
      "Format of document ids in listings and descriptions: integer or uuid. With short, every response contains the UUID as 22 Base58 characters.",
    parse: (text) => oneOf(text, ["integer", "uuid", "short"]),
  }),
  maxBody: setting({
    flag: "max-body",
    env: "QUERN_MAX_BODY",
    placeholder: "SIZE",
    defaultValue: 16 * 1024 ** 2,
    shown: "16MB",
    about: "Maximum size of a JSON request body; larger bodies get 413.",
    parse: byteSize,
  }),
  maxUpload: setting({
    flag: "max-upload",
    env: "QUERN_MAX_UPLOAD",
    placeholder: "SIZE",
    defaultValue: 1024 ** 3,
    shown: "1GB",
    about: "Maximum size of an upload (document imports and attachments): all files of a request together.",
    parse: byteSize,
  }),
  tempBytes: setting({
    flag: "temp-bytes",
    env: "QUERN_TEMP_BYTES",
    placeholder: "SIZE",
    defaultValue: 10 * 1024 ** 3,
    shown: "10GB",
    about:
      "Maximum size of all temporary files: uploads, imports, copies, downloads of documents, SQL queries that sort, and large indexes of formulas. The request that exceeds it gets 507. An import takes about four times the size of its file.",
    parse: byteSize,
  }),
  maxAttachment: setting({
    flag: "max-attachment",
    env: "QUERN_MAX_ATTACHMENT",
    placeholder: "SIZE",
    defaultValue: 1024 ** 3,
    shown: "1GB, or 100MB with a replicated log",
    about: "Maximum size of an attachment.",
    parse: byteSize,
  }),
  maxAttachments: setting({
    flag: "max-attachments",
    env: "QUERN_MAX_ATTACHMENTS",
    placeholder: "N",
    defaultValue: 1000,
    about: "Maximum number of attachments in one request.",
    parse: (text) => integerBetween(text, 1, 100_000),
  }),
  attachmentsInside: setting({
    flag: "attachments-inside",
    env: "QUERN_ATTACHMENTS_INSIDE",
    placeholder: "SIZE",
    defaultValue: 8 * 1024 ** 2,
    shown: "8MB",
    about:
      "Maximum size of attachments stored in the document file; larger ones are stored in a folder beside it. With QUERN_LOG_TO or QUERN_CLUSTER at most 256KB; larger ones are stored in the bucket, else in PostgreSQL.",
    parse: (text) => atMost(byteSize(text), 256 * 1024 ** 2, "256MB"),
  }),
  s3Endpoint: setting({
    flag: "s3-endpoint",
    env: "QUERN_S3_ENDPOINT",
    placeholder: "URL",
    defaultValue: null,
    about: "Endpoint of an S3-compatible service; document owners may store attachments in its bucket.",
    parse: httpUrl,
  }),
  s3Bucket: setting({
    flag: "s3-bucket",
    env: "QUERN_S3_BUCKET",
    placeholder: "NAME",
    defaultValue: null,
    about: "Name of the bucket. Endpoint, bucket and both keys are required together.",
    parse: nonEmpty,
  }),
  s3Region: setting({
    flag: "s3-region",
    env: "QUERN_S3_REGION",
    placeholder: "NAME",
    defaultValue: "auto",
    about: "Region of the bucket.",
    parse: nonEmpty,
  }),
  s3Prefix: setting({
    flag: "s3-prefix",
    env: "QUERN_S3_PREFIX",
    placeholder: "TEXT",
    defaultValue: "",
    shown: "none",
    about: "Key prefix of all objects in the bucket, for example quern/.",
    parse: nonEmpty,
  }),
  s3AccessKey: setting({
    flag: "s3-access-key",
    env: "QUERN_S3_ACCESS_KEY",
    placeholder: "KEY",
    defaultValue: null,
    about: "Access key id of the bucket.",
    isSecret: true,
    parse: nonEmpty,
  }),
  s3SecretKey: setting({
    flag: "s3-secret-key",
    env: "QUERN_S3_SECRET_KEY",
    placeholder: "KEY",
    defaultValue: null,
    about:
      "Secret access key of the bucket. Prefer the environment variable: other users of the machine can see flags.",
    isSecret: true,
    parse: nonEmpty,
  }),
  ...LIMIT_SETTINGS,
  ...STREAM_SETTINGS,
  ...DOCUMENT_SETTINGS,
  historyStates: setting({
    flag: "history-states",
    env: "QUERN_HISTORY_STATES",
    placeholder: "N",
    defaultValue: 1000,
    about:
      "Maximum number of states in a document's history. The oldest are deleted once the number exceeds it by a quarter.",
    parse: (text) => integerBetween(text, 1, 1_000_000),
  }),
  historyBytes: setting({
    flag: "history-bytes",
    env: "QUERN_HISTORY_BYTES",
    placeholder: "SIZE",
    defaultValue: 100 * 1024 ** 2,
    shown: "100MB",
    about:
      "Maximum size of a document's history. The oldest states are deleted once the size exceeds it by a quarter; the newest state is always kept.",
    parse: byteSize,
  }),
  ...FORMULA_SETTINGS,
  sqlTimeoutMs: setting({
    flag: "sql-timeout-ms",
    env: "QUERN_SQL_TIMEOUT_MS",
    placeholder: "MS",
    defaultValue: 1000,
    about:
      "Maximum duration of an SQL query in milliseconds; requests can only lower it. Slower queries are interrupted.",
    parse: (text) => integerBetween(text, 1, 600_000),
  }),
  sqlWorkers: setting({
    flag: "sql-workers",
    env: "QUERN_SQL_WORKERS",
    placeholder: "N",
    defaultValue: 2,
    about:
      "Maximum number of processes that run SQL queries, one query each at a time. Started on demand, stopped after five idle minutes.",
    parse: (text) => integerBetween(text, 1, 64),
  }),
  sqlMaxRows: setting({
    flag: "sql-max-rows",
    env: "QUERN_SQL_MAX_ROWS",
    placeholder: "N",
    defaultValue: 100_000,
    about: "Maximum number of rows in the result of an SQL query; larger results are refused.",
    parse: (text) => integerBetween(text, 1, 100_000_000),
  }),
  sqlMaxAnswer: setting({
    flag: "sql-max-answer",
    env: "QUERN_SQL_MAX_ANSWER",
    placeholder: "SIZE",
    defaultValue: 32 * 1024 ** 2,
    shown: "32MB",
    about: "Maximum size of the result of an SQL query; larger results are refused.",
    parse: byteSize,
  }),
  ...WEBHOOK_SETTINGS,
  ...IMPORT_SETTINGS,
  ...EMAIL_SETTINGS,
  ...BACKUP_SETTINGS,
  ...CLUSTER_SETTINGS,
  corsOrigins: setting<readonly string[]>({
    flag: "cors-origins",
    env: "QUERN_CORS_ORIGINS",
    placeholder: "LIST",
    defaultValue: [],
    about: "CORS: comma-separated origins whose pages may call the API with a key. Other origins are refused.",
    parse: (text) => commaList(text).map((item) => httpUrl(item)),
  }),
  durability: setting<"full" | "normal">({
    flag: "durability",
    env: "QUERN_DURABILITY",
    placeholder: "KIND",
    defaultValue: "full",
    about: "full: acknowledged writes survive a power failure. normal: they survive a crash of the server; faster.",
    parse: (text) => oneOf(text, ["full", "normal"]),
  }),
  ...SIGN_IN_SETTINGS,
  ...SCIM_SETTINGS,
  ...OBSERVABILITY_SETTINGS,
} as const;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
/** The resolved settings. */
export type Config = { readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> } & {
  /** The providers of single sign-on, from variables `QUERN_OIDC_…`. */
  readonly oidcProviders: readonly OidcProviderSettings[];
};

/**
 * Resolves the settings.
 * @param flags values of long options, by flag name without dashes
 * @param env the environment
 * @throws AppError `invalid` with a sentence naming the invalid setting
 */
export function readConfig(
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const config: Record<string, unknown> = {};
  const configured = new Map<string, string>();
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const fromFlag = flags[setting.flag];
    const text = fromFlag ?? (env[setting.env] === "" ? undefined : env[setting.env]);
    if (text !== undefined) configured.set(name, text);
    try {
      config[name] = text === undefined ? setting.defaultValue : setting.parse(text);
    } catch (error) {
      const source = fromFlag === undefined ? setting.env : `--${setting.flag}`;
      throw invalid(`${source} ${(error as Error).message}`);
    }
  }
  const isLogged = logUrlOf(config as Config) !== null;
  if (isLogged && !configured.has("maxAttachment")) config["maxAttachment"] = MAX_LOGGED_ATTACHMENT;
  config["oidcProviders"] = readProviders(env);
  CONFIGURED_TEXTS.set(config, configured);
  PROVIDER_TEXTS.set(config, givenProviderSettings(env));
  requireOneLog(config as Config);
  requireMatchingScheme(config as Config);
  return config as Config;
}

/** PostgreSQL stores attachments with a multiple of a disk's cost. */
const MAX_LOGGED_ATTACHMENT = 100 * 1024 ** 2;

/** The settings as given, since a parsed value cannot always be formatted again. */
const CONFIGURED_TEXTS = new WeakMap<object, ReadonlyMap<string, string>>();

/** The variables of providers that are set. */
const PROVIDER_TEXTS = new WeakMap<object, ReturnType<typeof givenProviderSettings>>();

/** Environment variables of commands that are clients of a server. */
export const CLIENT_VARIABLES: ReadonlySet<string> = new Set(["QUERN_API_KEY", "QUERN_URL", "QUERN_PROFILE"]);

/** Returns the environment variables with our prefix that are not settings: most likely misspelt. */
export function unknownSettingVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map((setting) => setting.env));
  return Object.keys(env).filter(
    (name) => name.startsWith("QUERN_") && !known.has(name) && !isProviderVariable(name) && !CLIENT_VARIABLES.has(name),
  );
}

/** A setting as shown in help and documentation. */
export interface SettingInfo {
  readonly flag: string;
  readonly env: string;
  readonly takes: string;
  readonly about: string;
  /** The default, as text. */
  readonly fallback: string;
}

/** Returns all settings in the order of the table. */
export const settingList = (): SettingInfo[] =>
  (Object.values(SETTINGS) as Setting<string | number | null | readonly unknown[]>[]).map(
    ({ flag, env, placeholder, about, defaultValue, shown }) => ({
      flag,
      env,
      takes: placeholder,
      about,
      fallback:
        shown ??
        (defaultValue === null || (Array.isArray(defaultValue) && defaultValue.length === 0)
          ? "none"
          : String(defaultValue)),
    }),
  );

/** A setting with its current value. */
export interface EffectiveSetting extends Pick<SettingInfo, "env" | "about"> {
  /** As given, or the default; null for a secret that is set. */
  readonly value: string | null;
  readonly isGiven: boolean;
}

/** Returns all settings with their values in the order of the table, without the values of secrets. */
export function effectiveSettings(config: Config): EffectiveSetting[] {
  const configured = CONFIGURED_TEXTS.get(config);
  const all = Object.entries(SETTINGS) as [SettingName, Setting<unknown>][];
  const settings = settingList().map(({ env, about, fallback }, i) => {
    const [name, { isSecret }] = all[i] ?? ["data", { isSecret: true }];
    const text = configured?.get(name);
    return { env, about, isGiven: text !== undefined, value: text === undefined ? fallback : isSecret ? null : text };
  });
  const providers = (PROVIDER_TEXTS.get(config) ?? []).map((given) => ({ ...given, isGiven: true }));
  return [...settings, ...providers];
}
