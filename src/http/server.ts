/** The HTTP side, as a table of contents: what is served, in which order a request is looked at, how it is logged. */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "../config.ts";
import { notFound } from "../errors.ts";
import { Expiries } from "../lib/expiries.ts";
import { Gate } from "../lib/gate.ts";
import type { Timers } from "../lib/timers.ts";
import type { Context } from "../services/context.ts";
import { json } from "./answers.ts";
import { corsHeaders } from "./auth.ts";
import { BodyRoom } from "./body-room.ts";
import type { Call, RequestServices } from "./call.ts";
import { requestChain, runChain, STATUS_PATH } from "./chain.ts";
import { createCall } from "./create-call.ts";
import type { OpenStreams } from "./event-stream.ts";
import { refusal } from "./errors.ts";
import { describeApi } from "./openapi.ts";
import { pathTree } from "./path.ts";
import { closesConnection, withAbsoluteUrl } from "./request-address.ts";
import { RecentRouter } from "./recent-router.ts";
import { RequestCounts } from "./request-counts.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";
import { UnderWay } from "./under-way.ts";

export interface Connection {
  /** The address the connection comes from. */
  readonly peer: string;
  /** How many requests are worked on, or have answers that are still being taken. */
  pending(): number;
  /** The request is here: from now on it is for us to say what takes too long. */
  isWorking(): void;
  /** The answer is there: from now on silence ends the connection. */
  isAnswered(): void;
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
  const tree = pathTree(routes.map(({ spec }) => spec.path));
  const app = mount(routes, config);
  const gate = new Gate();
  const expiries = new Expiries(ctx.clock, timers);
  const streams: OpenStreams = { count: 0 };
  const bodyRoom = new BodyRoom(config.maxBody);
  const underWay = new UnderWay({ config, clock: ctx.clock, expiries });
  const counts = config.metrics === "off" ? null : new RequestCounts();
  let draining = false;
  const services: RequestServices = { gate, bodyRoom, expiries, streams };
  const steps = requestChain({
    isDraining: () => draining,
    limits: underWay,
    counts,
    pages,
    router: (call) => app.fetch(call.request, { call }),
  });
  return {
    drain() {
      draining = true;
    },
    async handle(request, connection) {
      const start = performance.now();
      connection.isWorking();
      const call = createCall(withAbsoluteUrl(request), {
        peer: connection.peer,
        ctx,
        config,
        services,
        canonical: tree.canonical,
      });
      if (counts) counts.underWay++;
      const response = await underWay
        .run(call, () => runChain(steps, call, connection))
        .catch((error: unknown) => refusal(error, call));
      const cors = corsHeaders(call);
      if (cors) for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
      response.headers.set("X-Request-Id", call.requestId);
      setDefaultHeaders(response.headers);
      // Bun closes the connection when the client asks for it, but clients that reuse connections have to be told.
      if (draining || closesConnection(request)) response.headers.set("Connection", "close");
      if (!call.accounting.isStream) connection.isAnswered();
      noteRequest(call, counts, { status: response.status, ms: performance.now() - start });
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
function mount(all: readonly Route[], config: Config): OpenAPIHono<Env> {
  const app = new OpenAPIHono<Env>({
    router: new RecentRouter(),
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
    return json({ status: "ok" });
  });
  app.notFound((c) =>
    refusal(notFound(`There is no ${c.req.method} ${c.env.call.path}`, "route.not_found"), c.env.call),
  );
  app.onError((error, c) => refusal(error, c.env.call));
  return app;
}

interface Done {
  readonly status: number;
  readonly ms: number;
}

function noteRequest(call: Call, counts: RequestCounts | null, { status, ms }: Done): void {
  const route = call.accounting.template ?? "unknown";
  if (counts) {
    counts.underWay--;
    counts.note(call.request.method, route, { status, ms });
  }
  const { log } = call.ctx;
  const isSlow = call.config.slowMs > 0 && ms >= call.config.slowMs;
  const level = isSlow || status >= 500 ? "warn" : "info";
  if (level === "info" && !log.shows("info")) return;
  log[level]("request", {
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
