/** The HTTP server: routes, the order of request processing, and logging. */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "../config.ts";
import { notFound } from "../errors.ts";
import { TimeoutScheduler } from "../lib/time/timeouts.ts";
import { KeyedConcurrencyLimiter } from "../lib/concurrency/keyed-concurrency-limiter.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { Cluster } from "../services/cluster.ts";
import type { Context } from "../services/context.ts";
import { jsonResponse } from "./responses.ts";
import { corsHeaders } from "./auth.ts";
import { BodyMemoryBudget } from "./body-memory-budget.ts";
import type { Call, RequestServices } from "./call.ts";
import type { ClassifiedPage } from "./cluster/request-classes.ts";
import { requestChain, runChain, shuttingDown, STATUS_PATH } from "./chain.ts";
import { createCall } from "./create-call.ts";
import type { OpenStreamCounter } from "./event-stream.ts";
import { errorResponse } from "./error-responses.ts";
import { describeApi } from "./openapi.ts";
import { PendingKeys } from "./idempotency/pending-keys.ts";
import { createMcpHandler } from "./mcp.ts";
import { METRICS_PATH } from "./metrics.ts";
import { createPathTree } from "./paths.ts";
import { closesConnection, withAbsoluteUrl } from "./request-url.ts";
import { CachedRouter } from "./cached-router.ts";
import { RequestMetrics } from "./request-metrics.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";
import { isLinkPath, refuseOverLink } from "./routes/forms/link-access.ts";
import { isScimPath, refuseUnknownScim } from "./routes/scim/unknown.ts";
import { InFlightRequests } from "./in-flight-requests.ts";

export interface Connection {
  /** The address of the TCP connection. */
  readonly peer: string;
  /** Number of requests in progress and of responses being sent. */
  pending(): number;
  /** True when the server presents another certificate by now: the client should open a new connection. */
  isReplaced(): boolean;
  /** Called when the request has been received: from now on the server applies its own timeouts. */
  onRequest(): void;
  /** Called when the response begins: from now on the connection has an idle timeout. */
  onResponse(): void;
}

export interface HttpServer {
  /** Handles one request; never throws. */
  handle(request: Request, connection: Connection): Promise<Response>;
  /** Refuses new requests with 503; requests in flight continue. */
  drain(): void;
}

export interface HttpOptions {
  readonly ctx: Context;
  readonly config: Config;
  readonly timers: Timers;
  /** Handles requests outside of the API; null for unknown paths. */
  readonly pages?: (call: Call) => Promise<Response | null>;
  /** Loads the classes of pages; only for a node of a cluster. */
  readonly loadPageClasses?: () => Promise<readonly ClassifiedPage[]>;
}

/** Of requests that the server sends to itself. */
const INTERNAL_CONNECTION: Omit<Connection, "peer"> = {
  pending: () => 0,
  isReplaced: () => false,
  onRequest() {},
  onResponse() {},
};

type Env = { Bindings: { call: Call } };

/** Creates the request handler of all routes. */
export function createHttpServer({ ctx, config, timers, pages, loadPageClasses }: HttpOptions): HttpServer {
  const tree = createPathTree(routes.map(({ spec }) => spec.path));
  const app = createRouter(routes, config);
  const documentLimiter = new KeyedConcurrencyLimiter();
  const timeouts = new TimeoutScheduler(ctx.clock, timers);
  const streams: OpenStreamCounter = { count: 0 };
  const bodyMemory = new BodyMemoryBudget(config.maxBody);
  const inFlight = new InFlightRequests({ config, clock: ctx.clock, timeouts });
  const metrics = config.metrics === "off" ? null : new RequestMetrics();
  let isDraining = false;
  const pendingKeys = new PendingKeys(timeouts);
  const services: RequestServices = { documentLimiter, bodyMemory, pendingKeys, timeouts, streams };
  const steps = requestChain({
    isDraining: () => isDraining,
    inFlight,
    metrics,
    answerOnOwningNode: ctx.cluster && forwarding(ctx.cluster, loadPageClasses),
    mcp: createMcpHandler((request, { peer }) => handle(request, { ...INTERNAL_CONNECTION, peer })),
    pages,
    router: (call) => app.fetch(call.request, { call }),
  });
  const respond = async (call: Call, connection: Connection): Promise<Response> => {
    const homeUse = ctx.replication?.useHome();
    try {
      const response = await runChain(steps, call, connection);
      // The only place where answers about the home database leave. Paths about the server itself do not read it.
      const isAboutHome = !isAboutServer(call.path) && call.accounting.forwardedTo === undefined;
      if (isAboutHome) await homeUse?.settled();
      return response;
    } finally {
      homeUse?.end();
      call.accounting.endUse?.();
    }
  };
  const handle: HttpServer["handle"] = async (request, connection) => {
    const start = performance.now();
    connection.onRequest();
    const call = createCall(withAbsoluteUrl(request), {
      peer: connection.peer,
      ctx,
      config,
      services,
      canonicalPath: tree.canonical,
    });
    if (metrics) metrics.inFlight++;
    const response = await inFlight
      .run(call, () => respond(call, connection))
      .catch((error: unknown) => errorResponse(error, call));
    const cors = corsHeaders(call);
    if (cors) {
      for (const [name, value] of Object.entries(cors)) {
        // The response may already depend on another header.
        if (name === "Vary") response.headers.append(name, value);
        else response.headers.set(name, value);
      }
    }
    response.headers.set("X-Request-Id", call.requestId);
    if (call.accounting.isReplay) response.headers.set("Idempotency-Replayed", "true");
    setDefaultHeaders(response.headers);
    // Bun closes the connection if the client requests it, but clients that reuse connections need the header.
    if (isDraining || connection.isReplaced() || closesConnection(request)) response.headers.set("Connection", "close");
    // Other nodes keep connections: one that ends just when it is used again would leave the outcome of a request unknown.
    if (!call.accounting.isStream && call.hop === null) connection.onResponse();
    recordRequest(call, metrics, { status: response.status, ms: performance.now() - start });
    return response;
  };
  return {
    drain() {
      isDraining = true;
      for (const end of streams.forwarded ?? []) end();
    },
    handle,
  };
}

/** Loaded at the first request. */
function forwarding(cluster: Cluster, loadPageClasses: HttpOptions["loadPageClasses"]) {
  const load = async () => {
    const [{ answerOnOwningNode }, { RequestClasses }, pages] = await Promise.all([
      import("./cluster/answering-node.ts"),
      import("./cluster/request-classes.ts"),
      loadPageClasses?.() ?? [],
    ]);
    const classes = new RequestClasses(routes, pages);
    return (call: Call) => answerOnOwningNode(call, cluster, classes);
  };
  let loaded: ReturnType<typeof load> | undefined;
  return async (call: Call) => (await (loaded ??= load()))(call);
}

const isAboutServer = (path: string): boolean => path === STATUS_PATH || path === METRICS_PATH;

/** Responses contain data specific to the caller and user content: they must not be cached or sniffed. */
function setDefaultHeaders(headers: Headers): void {
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private, no-store");
  headers.set("X-Content-Type-Options", "nosniff");
}

/** Creates the router. Hono only matches the route; `call` holds all other properties of the request. */
function createRouter(all: readonly Route[], config: Config): OpenAPIHono<Env> {
  const app = new OpenAPIHono<Env>({
    router: new CachedRouter(),
    getPath: (_, options) => (options?.env as Env["Bindings"] | undefined)?.call.path ?? "/",
  });
  for (const route of all) {
    const path = route.spec.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(route.spec.method.toUpperCase(), path, (c) =>
      route.run(c.env.call, c.req.param() as Record<string, string>),
    );
  }
  let description: string | undefined;
  app.get("/openapi.json", (c) => {
    description ??= JSON.stringify(describeApi(all, config.publicUrl ?? "/"));
    c.env.call.accounting.template = "/openapi.json";
    return c.body(description, 200, { "Content-Type": "application/json; charset=utf-8" });
  });
  app.get(STATUS_PATH, (c) => {
    c.env.call.accounting.template = STATUS_PATH;
    if (new URLSearchParams(c.env.call.search).has("ready")) requireReady(c.env.call.ctx);
    return jsonResponse({ status: "ok" });
  });
  app.notFound((c) => {
    const { call } = c.env;
    if (isScimPath(call.path)) return refuseUnknownScim(call);
    if (isLinkPath(call.path)) return refuseOverLink(call);
    return errorResponse(notFound(`No route for ${c.req.method} ${call.path}`, "route.not_found"), call);
  });
  app.onError((error, c) => errorResponse(error, c.env.call));
  return app;
}

/** @throws AppError while a load balancer should send requests elsewhere */
function requireReady({ home, replication }: Context): void {
  home.raw.get("select 1");
  if (replication?.isDraining()) throw shuttingDown();
  const refusal = replication?.refusal();
  if (refusal) throw refusal;
}

interface RequestOutcome {
  readonly status: number;
  readonly ms: number;
}

function recordRequest(call: Call, metrics: RequestMetrics | null, { status, ms }: RequestOutcome): void {
  const route = call.accounting.template ?? "unknown";
  if (metrics) {
    metrics.inFlight--;
    metrics.record(call.request.method, route, { status, ms });
  }
  const { log } = call.ctx;
  const isSlow = call.config.slowMs > 0 && ms >= call.config.slowMs;
  const level = isSlow || status >= 500 ? "warn" : "info";
  if (level === "info" && !log.isEnabled("info")) return;
  log[level]("http.request", {
    requestId: call.requestId,
    method: call.request.method,
    route,
    status,
    ms: Math.round(ms * 1000) / 1000,
    user: call.actor.kind === "user" ? call.actor.userId : null,
    ...(call.accounting.document && { document: call.accounting.document }),
    ...(call.accounting.forwardedTo && { forwardedTo: call.accounting.forwardedTo }),
    address: call.address,
    ...(isSlow && { slow: true }),
  });
}
