import { readFileSync } from "node:fs";
import type { Client, ClientConfig } from "pg";
import { AppError } from "../../errors.ts";
import { guarded } from "../../lib/callbacks.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { SQL_STATE } from "./failures.ts";
import type { LogHost, LogUrl } from "./log-url.ts";
import { LOG_REFUSALS, logUnavailable } from "./refusals.ts";
import { prepareSession } from "./session.ts";

/**
 * Opens a connection to the primary server and prepares it: hosts are tried in order, as PostgreSQL's own clients do.
 * @throws AppError with one sentence: `log.unavailable`, `log.credentials`, `log.unsupported`, `log.url`
 */
export async function connect(url: LogUrl, options: ConnectionOptions = {}): Promise<Connection> {
  let problem: unknown;
  for (const host of url.hosts) {
    try {
      return await connectTo(host, url, options);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

async function connectTo(host: LogHost, url: LogUrl, options: ConnectionOptions): Promise<Connection> {
  const connection = new Connection(await openClient(host, url), options);
  try {
    await prepareSession(connection, { deadlineMs: url.connectTimeoutMs });
    return connection;
  } catch (error) {
    connection.destroy("it is not usable");
    throw error instanceof AppError ? error : translateConnectError(error, host);
  }
}

/** `prefer` encrypts when the server offers it, and is the only mode that goes on without. */
async function openClient(host: LogHost, url: LogUrl): Promise<Client> {
  try {
    return await openEncrypted(host, url, url.sslMode !== "disable");
  } catch (error) {
    if (url.sslMode === "prefer" && (error as Error).message === NO_SSL) {
      return openEncrypted(host, url, false).catch((again: unknown) => {
        throw translateConnectError(again, host);
      });
    }
    throw translateConnectError(error, host);
  }
}

/** The driver's sentence for a server without TLS. */
const NO_SSL = "The server does not support SSL connections";

async function openEncrypted({ host, port }: LogHost, url: LogUrl, isEncrypted: boolean): Promise<Client> {
  // Only here: servers without a log must not load the driver.
  const { Client: DriverClient } = await import("pg");
  const config: ClientConfig = {
    host,
    port,
    user: url.user,
    password: url.password,
    database: url.database,
    ssl: isEncrypted ? sslOptions(url) : false,
    sslnegotiation: url.sslNegotiation,
    enableChannelBinding: url.isChannelBindingRequired,
    application_name: url.applicationName,
    ...(url.options !== null && { options: url.options }),
    connectionTimeoutMillis: url.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: (oid: number) => TYPE_PARSERS[oid] ?? String },
  };
  const client = new DriverClient(config);
  // Without a listener an error would end the process; `connect` rejects with it.
  client.on(
    "error",
    guarded(() => {}),
  );
  await client.connect();
  return client;
}

function sslOptions({ sslMode, sslRootCert, sslCert, sslKey }: LogUrl) {
  const files = {
    ...(sslRootCert !== null && { ca: readPem(sslRootCert) }),
    ...(sslCert !== null && { cert: readPem(sslCert) }),
    ...(sslKey !== null && { key: readPem(sslKey) }),
  };
  // As in PostgreSQL's own clients, naming the authority makes `require` verify it.
  const isVerified = sslMode.startsWith("verify") || (sslMode === "require" && sslRootCert !== null);
  const isNameChecked = sslMode === "verify-full";
  return { ...files, rejectUnauthorized: isVerified, ...(!isNameChecked && { checkServerIdentity: () => undefined }) };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("log.url", LOG_REFUSALS.url(`the file ${path} cannot be read (${(error as Error).message})`));
  }
}

/** Parsers of the types that statements return, by their object id. All other types are returned as text. */
const TYPE_PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  // bool, int2, int4, int8, float8
  16: (text) => text === "t",
  21: Number,
  23: Number,
  20: Number,
  701: Number,
  // bytea, always in the form \x00ff
  17: (text) => Buffer.from(text.slice(2), "hex"),
};

const TLS_ERROR = /certificate|ssl|tls|self.signed|altname/i;

/** Says in one sentence why a connection failed. The driver's messages hold no password. */
function translateConnectError(error: unknown, { host, port }: LogHost): AppError {
  if (error instanceof AppError) return error;
  const { message, code = "" } = error as Error & { code?: string };
  const server = host.startsWith("/") ? host : `${host}:${port}`;
  const cause = { cause: error };
  if (
    code === SQL_STATE.invalidPassword ||
    code === SQL_STATE.invalidAuthorization ||
    /password must be/.test(message)
  ) {
    return new AppError("log.credentials", LOG_REFUSALS.credentials(server), cause);
  }
  if (code === SQL_STATE.invalidCatalogName) {
    return new AppError("log.unsupported", LOG_REFUSALS.database(server), cause);
  }
  if (code === SQL_STATE.insufficientPrivilege) {
    return new AppError("log.rights", LOG_REFUSALS.rights("connect to the database"), cause);
  }
  if (TLS_ERROR.test(`${code} ${message}`)) return logUnavailable(LOG_REFUSALS.tls(server, message || code), cause);
  return logUnavailable(LOG_REFUSALS.unreachable(server, message || code), cause);
}
