/** The sockets that the server listens on: one, and with TLS also those of former certificates until they are drained. */
import { constants } from "node:crypto";
import type { App } from "../app.ts";
import type { Config } from "../config.ts";
import { invalid, type AppError } from "../errors.ts";
import { stackOf } from "../lib/callbacks.ts";
import type { Log } from "../lib/observability/log.ts";
import type { ReusePortGroup } from "../lib/network/reuse-port-group.ts";
import type { TlsCertificate } from "../lib/network/tls-files.ts";
import { runEvery, yieldToEventLoop } from "../lib/time/timers.ts";
import { idleTimeoutS } from "./idle-timeout.ts";

type Server = Bun.Server<undefined>;

export interface ListenersOptions {
  readonly app: App;
  readonly config: Config;
  readonly log: Log;
  /** Without one, the server speaks plain HTTP. */
  readonly certificate: TlsCertificate | null;
}

/** The oldest version is TLS 1.2. */
const SINCE_TLS_1_2 = constants.SSL_OP_NO_TLSv1 | constants.SSL_OP_NO_TLSv1_1;
/** Maximum time that a connection may take for its first request, as the runtime enforces it. */
const FIRST_REQUEST_TIMEOUT_MS = 13_000;
const DRAIN_CHECK_INTERVAL_MS = 1000;

export class Listeners {
  readonly port: number;
  readonly #options: ListenersOptions;
  readonly #idleTimeoutS: number;
  #current: Server;
  /** Servers with former certificates, with a function that ends the waiting for their connections. */
  readonly #replaced = new Map<Server, () => void>();
  #group: ReusePortGroup<Server> | undefined;
  #isStopping = false;

  /** @throws AppError if the port is in use, or the certificate cannot be used */
  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#idleTimeoutS = idleTimeoutS(options.config.clientTimeoutS);
    const { certificate, config } = options;
    this.#current = certificate ? this.#listenWithTls(certificate) : this.#listen(config.port, null);
    this.port = this.#current.port ?? config.port;
  }

  /** Number of requests in progress and of responses being sent. */
  get pendingRequests(): number {
    // Asked by every request, and nearly always there is only one.
    if (this.#replaced.size === 0) return this.#current.pendingRequests;
    return this.#all().reduce((sum, { pendingRequests }) => sum + pendingRequests, 0);
  }

  /** Closes connections without a request; returns their number. */
  closeIdleConnections(): number {
    return this.#all().reduce((sum, server) => sum + server.closeIdleConnections(), 0);
  }

  /**
   * Presents another certificate to new connections. The runtime cannot change the certificate of a socket, so a second
   * one begins to listen on the same port. Existing connections continue; their next response asks clients to reconnect.
   * @throws AppError if the certificate cannot be used: the former one stays
   */
  async replaceCertificate(certificate: TlsCertificate): Promise<void> {
    const { ReusePortGroup } = await import("../lib/network/reuse-port-group.ts");
    if (this.#isStopping) return;
    const former = this.#current;
    this.#group ??= new ReusePortGroup<Server>(this.port, former);
    this.#current = this.#listen(this.port, certificate);
    this.#group.add(this.#current);
    const isSelected = this.#group.select(this.#current);
    this.#closeWhenQuiet(former, isSelected ? this.#idleTimeoutS * 1000 + FIRST_REQUEST_TIMEOUT_MS : 0);
    if (isSelected) return;
    // Otherwise the former socket would get new connections: it accepts the pending ones, and stops listening.
    await yieldToEventLoop();
    this.#stopListening(former);
  }

  /** Refuses new connections. */
  stopAccepting(): void {
    this.#isStopping = true;
    for (const server of this.#all()) void server.stop(false);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const cancel of this.#replaced.values()) cancel();
    await Promise.all(this.#all().map((server) => server.stop(true)));
  }

  #all(): Server[] {
    return [this.#current, ...this.#replaced.keys()];
  }

  /** Closes a server when it had no requests for `quietMs`: until then its idle connections have timed out. */
  #closeWhenQuiet(server: Server, quietMs: number): void {
    let quietSince = performance.now();
    const cancel = runEvery(DRAIN_CHECK_INTERVAL_MS, () => {
      const now = performance.now();
      if (server.pendingRequests > 0) quietSince = now;
      if (server.pendingRequests > 0 || now - quietSince < quietMs) return;
      cancel();
      this.#replaced.delete(server);
      this.#stopListening(server);
    });
    this.#replaced.set(server, cancel);
  }

  /** Closes the socket and idle connections of a server; requests in progress continue. Idempotent. */
  #stopListening(server: Server): void {
    void server.stop(false);
    this.#group?.remove(server);
    this.#group?.select(this.#current);
  }

  /** The port is shared by the sockets of several certificates, so this checks that no other program listens on it. */
  #listenWithTls(certificate: TlsCertificate): Server {
    const probe = this.#listen(this.#options.config.port, null);
    void probe.stop(true);
    return this.#listen(probe.port ?? this.#options.config.port, certificate);
  }

  #listen(port: number, certificate: TlsCertificate | null): Server {
    const { app, config, log } = this.#options;
    try {
      return Bun.serve({
        hostname: config.host,
        port,
        // Explicit, because by default a second process may share the port without an error in either.
        reusePort: certificate !== null,
        ...(certificate && { tls: { cert: certificate.cert, key: certificate.key, secureOptions: SINCE_TLS_1_2 } }),
        // The first request's headers have 9 to 13 s, which the runtime does not let callers change.
        idleTimeout: this.#idleTimeoutS,
        // Our own limits answer with an error message; Bun's limit would answer with an empty 413, so it is higher.
        maxRequestBodySize: Math.max(config.maxBody, config.maxUpload) + 1024 ** 2,
        development: false,
        error(error) {
          log.error("http.handler_failed", { error: stackOf(error) });
          return Response.json({ error: "Something went wrong" }, { status: 500 });
        },
        fetch: (request, server) =>
          app.handle(request, {
            peer: server.requestIP(request)?.address ?? "",
            pending: () => this.pendingRequests,
            isReplaced: () => server !== this.#current,
            onRequest: () => server.timeout(request, 0),
            onResponse: () => server.timeout(request, this.#idleTimeoutS),
          }),
      });
    } catch (error) {
      throw listenError(error, { host: config.host, port });
    }
  }
}

function listenError(error: unknown, { host, port }: { host: string; port: number }): AppError {
  const { code = "", message } = error as { code?: string; message: string };
  if (code === "EADDRINUSE") {
    return invalid(`port ${port} on ${host} is in use by another program; choose another one with --port`);
  }
  if (code.startsWith("ERR_OSSL")) return invalid(`the certificate and its key cannot be used: ${message}`);
  return invalid(`cannot listen on ${host}:${port}: ${message}`);
}
