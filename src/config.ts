/**
 * Every setting of `quern serve`, in one table: parsing, `--help`, the documentation page and its test come from it.
 * Flags win over environment variables, which win over defaults.
 */
import { FORMULA_SETTINGS } from "./config/formula-settings.ts";
import { LIMIT_SETTINGS } from "./config/limit-settings.ts";
import { RUNNING_SETTINGS } from "./config/running-settings.ts";
import { BACKUP_SETTINGS } from "./config/backup-settings.ts";
import { DOCUMENT_SETTINGS } from "./config/document-settings.ts";
import { setting, type Setting } from "./config/setting.ts";
import { STREAM_SETTINGS } from "./config/stream-settings.ts";
import { WEBHOOK_SETTINGS } from "./config/webhook-settings.ts";
import { invalid } from "./errors.ts";
import { parseNetwork, type Network } from "./lib/networks.ts";
import {
  atMost,
  domain,
  filled,
  headerName,
  list,
  oneOf,
  size,
  webAddress,
  wholeNumber,
} from "./lib/setting-values.ts";

export const SETTINGS = {
  data: setting({
    flag: "data",
    env: "QUERN_DATA",
    takes: "DIR",
    fallback: "./data",
    about: "Folder that holds everything: the home database, documents, backups.",
    parse: filled,
  }),
  host: setting({
    flag: "host",
    env: "QUERN_HOST",
    takes: "HOST",
    fallback: "127.0.0.1",
    about: "Address to listen on; 0.0.0.0 for all.",
    parse: filled,
  }),
  port: setting({
    flag: "port",
    env: "QUERN_PORT",
    takes: "PORT",
    fallback: 8080,
    about: "Port to listen on; 0 picks a free one.",
    parse: (text) => wholeNumber(text, 0, 65_535),
  }),
  baseDomain: setting({
    flag: "base-domain",
    env: "QUERN_BASE_DOMAIN",
    takes: "DOMAIN",
    fallback: null,
    about: "Domain below which team sites have a host each: with example.org, site team answers at team.example.org.",
    parse: domain,
  }),
  singleOrg: setting({
    flag: "single-org",
    env: "QUERN_SINGLE_ORG",
    takes: "NAME",
    fallback: null,
    about: "Domain of the one team site that every plain /api/… request goes to.",
    parse: (text) => filled(text).toLowerCase(),
  }),
  publicUrl: setting({
    flag: "public-url",
    env: "QUERN_PUBLIC_URL",
    takes: "URL",
    fallback: null,
    about:
      "Address that people reach the server by, for links and for telling own forms; by default the one of the request.",
    parse: webAddress,
  }),
  docIds: setting<"integer" | "uuid" | "short">({
    flag: "doc-ids",
    env: "QUERN_DOC_IDS",
    takes: "KIND",
    fallback: "integer",
    about:
      "Form of documents' ids in listings and descriptions: integer, or uuid. With short, every response carries the UUID as 22 Base58 characters.",
    parse: (text) => oneOf(text, ["integer", "uuid", "short"]),
  }),
  maxBody: setting({
    flag: "max-body",
    env: "QUERN_MAX_BODY",
    takes: "SIZE",
    fallback: 16 * 1024 ** 2,
    shown: "16MB",
    about: "Largest JSON body taken; beyond it the answer is 413.",
    parse: size,
  }),
  maxUpload: setting({
    flag: "max-upload",
    env: "QUERN_MAX_UPLOAD",
    takes: "SIZE",
    fallback: 1024 ** 3,
    shown: "1GB",
    about: "Largest upload taken: documents to import, and attachments, all files of a request together.",
    parse: size,
  }),
  maxAttachment: setting({
    flag: "max-attachment",
    env: "QUERN_MAX_ATTACHMENT",
    takes: "SIZE",
    fallback: 1024 ** 3,
    shown: "1GB",
    about: "Largest file taken as an attachment.",
    parse: size,
  }),
  maxAttachments: setting({
    flag: "max-attachments",
    env: "QUERN_MAX_ATTACHMENTS",
    takes: "N",
    fallback: 1000,
    about: "Files that one request may bring as attachments.",
    parse: (text) => wholeNumber(text, 1, 100_000),
  }),
  attachmentsInside: setting({
    flag: "attachments-inside",
    env: "QUERN_ATTACHMENTS_INSIDE",
    takes: "SIZE",
    fallback: 8 * 1024 ** 2,
    shown: "8MB",
    about: "Largest attachment kept in the document's own file; larger ones lie in a folder beside it.",
    parse: (text) => atMost(size(text), 256 * 1024 ** 2, "256MB"),
  }),
  s3Endpoint: setting({
    flag: "s3-endpoint",
    env: "QUERN_S3_ENDPOINT",
    takes: "URL",
    fallback: null,
    about: "Address of an S3-compatible service whose bucket owners of documents may choose for their attachments.",
    parse: webAddress,
  }),
  s3Bucket: setting({
    flag: "s3-bucket",
    env: "QUERN_S3_BUCKET",
    takes: "NAME",
    fallback: null,
    about: "Name of the bucket. Endpoint, bucket and both keys are needed together.",
    parse: filled,
  }),
  s3Region: setting({
    flag: "s3-region",
    env: "QUERN_S3_REGION",
    takes: "NAME",
    fallback: "auto",
    about: "Region of the bucket.",
    parse: filled,
  }),
  s3Prefix: setting({
    flag: "s3-prefix",
    env: "QUERN_S3_PREFIX",
    takes: "TEXT",
    fallback: "",
    shown: "none",
    about: "What the names of all objects in the bucket begin with, for instance quern/.",
    parse: filled,
  }),
  s3AccessKey: setting({
    flag: "s3-access-key",
    env: "QUERN_S3_ACCESS_KEY",
    takes: "KEY",
    fallback: null,
    about: "Access key of the bucket.",
    isSecret: true,
    parse: filled,
  }),
  s3SecretKey: setting({
    flag: "s3-secret-key",
    env: "QUERN_S3_SECRET_KEY",
    takes: "KEY",
    fallback: null,
    about: "Secret key of the bucket; better in the environment than as a flag, which other users of the machine see.",
    isSecret: true,
    parse: filled,
  }),
  ...LIMIT_SETTINGS,
  ...STREAM_SETTINGS,
  ...DOCUMENT_SETTINGS,
  historyStates: setting({
    flag: "history-states",
    env: "QUERN_HISTORY_STATES",
    takes: "N",
    fallback: 1000,
    about: "States that a document's history keeps; old ones go once there are a quarter more.",
    parse: (text) => wholeNumber(text, 1, 1_000_000),
  }),
  historyBytes: setting({
    flag: "history-bytes",
    env: "QUERN_HISTORY_BYTES",
    takes: "SIZE",
    fallback: 100 * 1024 ** 2,
    shown: "100MB",
    about: "Space that a document's history takes; old states go once it is a quarter more. The newest always stays.",
    parse: size,
  }),
  ...FORMULA_SETTINGS,
  sqlTimeoutMs: setting({
    flag: "sql-timeout-ms",
    env: "QUERN_SQL_TIMEOUT_MS",
    takes: "MS",
    fallback: 1000,
    about: "Milliseconds that an SQL query may take, and takes at most when it asks for less; then it is interrupted.",
    parse: (text) => wholeNumber(text, 1, 600_000),
  }),
  sqlWorkers: setting({
    flag: "sql-workers",
    env: "QUERN_SQL_WORKERS",
    takes: "N",
    fallback: 2,
    about:
      "Processes that run SQL queries, one at a time each; started when queries come, and ended after five minutes without any.",
    parse: (text) => wholeNumber(text, 1, 64),
  }),
  sqlMaxRows: setting({
    flag: "sql-max-rows",
    env: "QUERN_SQL_MAX_ROWS",
    takes: "N",
    fallback: 100_000,
    about: "Most rows that an SQL query answers; one that has more is refused.",
    parse: (text) => wholeNumber(text, 1, 100_000_000),
  }),
  sqlMaxAnswer: setting({
    flag: "sql-max-answer",
    env: "QUERN_SQL_MAX_ANSWER",
    takes: "SIZE",
    fallback: 32 * 1024 ** 2,
    shown: "32MB",
    about: "Largest answer to an SQL query; one that is larger is refused.",
    parse: size,
  }),
  ...WEBHOOK_SETTINGS,
  ...BACKUP_SETTINGS,
  corsOrigins: setting<readonly string[]>({
    flag: "cors-origins",
    env: "QUERN_CORS_ORIGINS",
    takes: "LIST",
    fallback: [],
    about: "Origins, separated by commas, whose pages may call with a key; from others a key is refused.",
    parse: (text) => list(text).map((item) => webAddress(item)),
  }),
  durability: setting<"full" | "normal">({
    flag: "durability",
    env: "QUERN_DURABILITY",
    takes: "KIND",
    fallback: "full",
    about: "full: an acknowledged write survives a power cut. normal: it survives a crash of the server; faster.",
    parse: (text) => oneOf(text, ["full", "normal"]),
  }),
  forwardAuthHeader: setting({
    flag: "forward-auth-header",
    env: "QUERN_FORWARD_AUTH_HEADER",
    takes: "NAME",
    fallback: null,
    about: "Header in which a reverse proxy names the signed-in person's e-mail; believed only from trusted proxies.",
    parse: headerName,
  }),
  trustedProxies: setting<readonly Network[]>({
    flag: "trusted-proxies",
    env: "QUERN_TRUSTED_PROXIES",
    takes: "LIST",
    fallback: [],
    about:
      "Addresses or networks (CIDR), separated by commas, of reverse proxies whose forwarded headers are believed.",
    parse: (text) => list(text).map(parseNetwork),
  }),
  ...RUNNING_SETTINGS,
} as const;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
/** The settings in force. */
export type Config = { readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> };

/**
 * The settings in force.
 * @param flags values of long options, by flag name without dashes
 * @param env the environment
 * @throws AppError `invalid` with a sentence naming the setting that is wrong
 */
export function readConfig(
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const config: Record<string, unknown> = {};
  const given = new Map<string, string>();
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const fromFlag = flags[setting.flag];
    const text = fromFlag ?? (env[setting.env] === "" ? undefined : env[setting.env]);
    if (text !== undefined) given.set(name, text);
    try {
      config[name] = text === undefined ? setting.fallback : setting.parse(text);
    } catch (error) {
      const what = fromFlag === undefined ? setting.env : `--${setting.flag}`;
      throw invalid(`${what} ${(error as Error).message}`);
    }
  }
  GIVEN.set(config, given);
  return config as Config;
}

/** What settings were given as, since what became of it cannot always be written again. */
const GIVEN = new WeakMap<object, ReadonlyMap<string, string>>();

/** Variables that look like settings of ours and are none: most likely misspelt. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map((setting) => setting.env));
  return Object.keys(env).filter((name) => name.startsWith("QUERN_") && !known.has(name));
}

/** A setting as help and documentation show it. */
export interface SettingInfo {
  readonly flag: string;
  readonly env: string;
  readonly takes: string;
  readonly about: string;
  /** The default, as text. */
  readonly fallback: string;
}

/** All settings, in the order of the table. */
export const settingList = (): SettingInfo[] =>
  (Object.values(SETTINGS) as Setting<string | number | null | readonly unknown[]>[]).map(
    ({ flag, env, takes, about, fallback, shown }) => ({
      flag,
      env,
      takes,
      about,
      fallback:
        shown ?? (fallback === null || (Array.isArray(fallback) && fallback.length === 0) ? "none" : String(fallback)),
    }),
  );

/** A setting with what it is now. */
export interface SettingInForce extends SettingInfo {
  /** As it was given, or the default; null for a secret that was given. */
  readonly value: string | null;
  readonly isGiven: boolean;
}

/** All settings with their values, in the order of the table; secrets without. */
export function settingsInForce(config: Config): SettingInForce[] {
  const given = GIVEN.get(config);
  const all = Object.entries(SETTINGS) as [SettingName, Setting<unknown>][];
  return settingList().map((info, i) => {
    const [name, { isSecret }] = all[i] ?? ["data", { isSecret: true }];
    const text = given?.get(name);
    return { ...info, isGiven: text !== undefined, value: text === undefined ? info.fallback : isSecret ? null : text };
  });
}
