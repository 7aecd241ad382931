import { AppError } from "../../errors.ts";
import { LOG_REFUSALS } from "./refusals.ts";

/** How a connection is encrypted, with the names and meanings of PostgreSQL's own clients. */
export type SslMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

export interface LogHost {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** The parsed URL of the log. */
export interface LogUrl {
  /** Tried in order until one is the primary server. */
  readonly hosts: readonly LogHost[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly sslMode: SslMode;
  /** Paths of PEM files. Without `sslRootCert` the well-known authorities are trusted. */
  readonly sslRootCert: string | null;
  readonly sslCert: string | null;
  readonly sslKey: string | null;
  readonly sslNegotiation: "postgres" | "direct";
  readonly isChannelBindingRequired: boolean;
  readonly connectTimeoutMs: number;
  readonly applicationName: string;
  /** Passed on to the server, e.g. `-c name=value`. */
  readonly options: string | null;
  /** Hosts and database, for messages and the log: never has the password. */
  readonly label: string;
}

const DEFAULT_PORT = 5432;
const DEFAULT_CONNECT_TIMEOUT_S = 5;
const SSL_MODES: readonly string[] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/** Parameters of PostgreSQL's clients that change nothing here, by the values that are accepted. */
const IGNORED: Readonly<Record<string, readonly string[]>> = {
  target_session_attrs: ["any", "read-write", "primary"],
  gssencmode: ["disable", "prefer"],
};

/**
 * Parses `postgres://user:password@host:port,host:port/database?sslmode=verify-full`. Parameters have the names and
 * meanings of PostgreSQL's own clients; passwords have to be URL-encoded.
 * @throws AppError `log.url`; its message contains neither the URL nor the password
 */
export function parseLogUrl(text: string): LogUrl {
  const [, login = "", authority = "", path = "", query = ""] = URL_PARTS.exec(text.trim()) ?? refuse(SHAPE);
  const parameters = new Map(new URLSearchParams(query));
  const take = (name: string): string | null => {
    const value = parameters.get(name) ?? null;
    parameters.delete(name);
    return value === "" ? null : value;
  };
  const { user, password } = parseLogin(login, take);
  const hosts = parseHosts(take("host") ?? decoded(authority), take("port"));
  const database = take("dbname") ?? (decoded(path) || user);
  const isLocal = hosts.every(({ host }) => host.startsWith("/"));
  const sslMode = parseSslMode(take("sslmode") ?? "prefer");
  const binding = oneOf("channel_binding", take("channel_binding") ?? "prefer", ["disable", "prefer", "require"]);
  const url: LogUrl = {
    hosts,
    user,
    password,
    database,
    sslMode: isLocal ? "disable" : sslMode,
    sslRootCert: systemCertificates(take("sslrootcert")),
    sslCert: take("sslcert"),
    sslKey: take("sslkey"),
    sslNegotiation: oneOf("sslnegotiation", take("sslnegotiation") ?? "postgres", ["postgres", "direct"]),
    isChannelBindingRequired: binding === "require",
    connectTimeoutMs:
      wholeNumber("connect_timeout", take("connect_timeout") ?? String(DEFAULT_CONNECT_TIMEOUT_S)) * 1000,
    applicationName: take("application_name") ?? "quern",
    options: take("options"),
    label: `${hosts.map(({ host, port }) => (host.startsWith("/") ? host : `${host}:${port}`)).join(",")}/${database}`,
  };
  for (const [name, accepted] of Object.entries(IGNORED)) {
    const value = take(name);
    if (value !== null) oneOf(name, value, accepted);
  }
  for (const name of parameters.keys()) refuse(`the parameter "${name}" is not supported`);
  return url;
}

const SHAPE = "it must have the form postgres://user:password@host:port/database";

function parseLogin(login: string, take: (name: string) => string | null): { user: string; password: string } {
  const colon = login.indexOf(":");
  const user = take("user") ?? decoded(colon < 0 ? login : login.slice(0, colon));
  const password = take("password") ?? (colon < 0 ? "" : decoded(login.slice(colon + 1)));
  return user === "" ? refuse("it names no user") : { user, password };
}

function parseHosts(text: string, ports: string | null): LogHost[] {
  const portList = ports?.split(",") ?? [];
  return text.split(",").map((item, i) => {
    const port = portList[i] ?? portList[0];
    if (item.startsWith("/")) return { host: item, port: wholeNumber("port", port ?? String(DEFAULT_PORT)) };
    const match = /^(\[[^\]]+\]|[^:[\]\s]+)(?::(\d+))?$/.exec(item);
    if (!match?.[1]) return refuse(item === "" ? "it names no host" : "the host is malformed");
    const host = match[1].replaceAll(/[[\]]/g, "");
    return { host, port: wholeNumber("port", match[2] ?? port ?? String(DEFAULT_PORT)) };
  });
}

/** `allow` begins without encryption, which a server that requires it refuses: then `prefer` is what remains of it. */
const parseSslMode = (text: string): SslMode =>
  oneOf("sslmode", text === "allow" ? "prefer" : text, SSL_MODES) as SslMode;

/** `system` names the well-known authorities, which are the default here. */
const systemCertificates = (path: string | null): string | null => (path === "system" ? null : path);

function oneOf<T extends string>(name: string, value: string, choices: readonly T[]): T {
  return choices.find((choice) => choice === value) ?? refuse(`${name} must be one of ${choices.join(", ")}`);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= 1 && value <= 65_535 ? value : refuse(`${name} must be a positive number`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse("it has a % that is not followed by two hexadecimal digits; write %25");
  }
}

function refuse(problem: string): never {
  throw new AppError("log.url", LOG_REFUSALS.url(problem));
}
