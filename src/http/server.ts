/** The HTTP server: routes, the order of request processing, and logging. */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "../config.ts";
import { notFound } from "../errors.ts";
import { TimeoutScheduler } from "../lib/time/timeouts.ts";
import { KeyedConcurrencyLimiter } from "../lib/concurrency/keyed-concurrency-limiter.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { Context } from "../services/context.ts";
import { jsonResponse } from "./responses.ts";
import { corsHeaders } from "./auth.ts";
import { BodyMemoryBudget } from "./body-memory-budget.ts";
import type { Call, RequestServices } from "./call.ts";
import { requestChain, runChain, STATUS_PATH } from "./chain.ts";
import { createCall } from "./create-call.ts";
import type { OpenStreamCounter } from "./event-stream.ts";
import { errorResponse } from "./error-responses.ts";
import { describeApi } from "./openapi.ts";
import { createPathTree } from "./paths.ts";
import { closesConnection, withAbsoluteUrl } from "./request-url.ts";
import { CachedRouter } from "./cached-router.ts";
import { RequestMetrics } from "./request-metrics.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";
import { InFlightRequests } from "./in-flight-requests.ts";

export interface Connection {
  /** The address of the TCP connection. */
  readonly peer: string;
  /** Number of requests in progress and of responses being sent. */
  pending(): number;
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
}

type Env = { Bindings: { call: Call } };

/** Creates the request handler of all routes. */
export function createHttpServer({ ctx, config, timers, pages }: HttpOptions): HttpServer {
  const tree = createPathTree(routes.map(({ spec }) => spec.path));
  const app = createRouter(routes, config);
  const documentLimiter = new KeyedConcurrencyLimiter();
  const timeouts = new TimeoutScheduler(ctx.clock, timers);
  const streams: OpenStreamCounter = { count: 0 };
  const bodyMemory = new BodyMemoryBudget(config.maxBody);
  const inFlight = new InFlightRequests({ config, clock: ctx.clock, timeouts });
  const metrics = config.metrics === "off" ? null : new RequestMetrics();
  let isDraining = false;
  const services: RequestServices = { documentLimiter, bodyMemory, timeouts, streams };
  const steps = requestChain({
    isDraining: () => isDraining,
    inFlight,
    metrics,
    pages,
    router: (call) => app.fetch(call.request, { call }),
  });
  return {
    drain() {
      isDraining = true;
    },
    async handle(request, connection) {
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
        .run(call, () => runChain(steps, call, connection))
        .catch((error: unknown) => errorResponse(error, call));
      const cors = corsHeaders(call);
      if (cors) for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
      response.headers.set("X-Request-Id", call.requestId);
      setDefaultHeaders(response.headers);
      // Bun closes the connection if the client requests it, but clients that reuse connections need the header.
      if (isDraining || closesConnection(request)) response.headers.set("Connection", "close");
      if (!call.accounting.isStream) connection.onResponse();
      recordRequest(call, metrics, { status: response.status, ms: performance.now() - start });
      return response;
    },
  };
}

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
    if (new URLSearchParams(c.env.call.search).has("ready")) c.env.call.ctx.home.raw.get("select 1");
    return jsonResponse({ status: "ok" });
  });
  app.notFound((c) =>
    errorResponse(notFound(`No route for ${c.req.method} ${c.env.call.path}`, "route.not_found"), c.env.call),
  );
  app.onError((error, c) => errorResponse(error, c.env.call));
  return app;
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
    address: call.address,
    ...(isSlow && { slow: true }),
  });
}
