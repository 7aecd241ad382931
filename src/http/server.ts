/** The HTTP side, as a table of contents: what is served, in which order a request is looked at, how it is logged. */
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
  /** The address the connection comes from. */
  readonly peer: string;
  /** How many requests are worked on, or have answers that are still being taken. */
  pending(): number;
  /** The request is here: from now on it is for us to say what takes too long. */
  onRequest(): void;
  /** The answer is there: from now on silence ends the connection. */
  onResponse(): void;
}

export interface HttpServer {
  /** Answers one request; never throws. */
  handle(request: Request, connection: Connection): Promise<Response>;
  /** From now on new requests get 503; those under way finish. */
  drain(): void;
}

export interface HttpOptions {
  readonly ctx: Context;
  readonly config: Config;
  readonly timers: Timers;
  /** Pages for people: answers what is not API; null for what it does not know. */
  readonly pages?: (call: Call) => Promise<Response | null>;
}

type Env = { Bindings: { call: Call } };

/** Puts the routes behind one door. */
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
      // Bun closes the connection when the client asks for it, but clients that reuse connections have to be told.
      if (isDraining || closesConnection(request)) response.headers.set("Connection", "close");
      if (!call.accounting.isStream) connection.onResponse();
      recordRequest(call, metrics, { status: response.status, ms: performance.now() - start });
      return response;
    },
  };
}

/** Responses hold what one caller may see, and what users wrote: caches and browsers must neither keep nor guess. */
function setDefaultHeaders(headers: Headers): void {
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private, no-store");
  headers.set("X-Content-Type-Options", "nosniff");
}

/** Hono finds the route; everything else a request needs was found out before and comes along as `call`. */
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
    errorResponse(notFound(`There is no ${c.req.method} ${c.env.call.path}`, "route.not_found"), c.env.call),
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
