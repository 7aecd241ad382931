/** The HTTP side, as a table of contents: what is served, in which order a request is looked at, how it is logged. */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Actor } from "../access.ts";
import type { Config } from "../config.ts";
import { AppError, notFound } from "../errors.ts";
import { Expiries } from "../lib/expiries.ts";
import { Gate } from "../lib/gate.ts";
import type { Timers } from "../lib/timers.ts";
import type { Context } from "../services/context.ts";
import { json } from "./answers.ts";
import { corsHeaders, identify } from "./auth.ts";
import { BodyRoom } from "./body-room.ts";
import type { Call } from "./call.ts";
import type { OpenStreams } from "./event-stream.ts";
import { refusal } from "./errors.ts";
import { answerMetrics, METRICS_PATH } from "./metrics.ts";
import { describeApi } from "./openapi.ts";
import { pathTree, targetOf } from "./path.ts";
import { closesConnection, requireOneHost, validHost, withAbsoluteUrl } from "./request-address.ts";
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
  const known = (call: Call): Actor => {
    try {
      return identify(call);
    } catch (error) {
      underWay.countUnknown(call);
      throw error;
    }
  };
  const answer = async (call: Call, connection: Connection): Promise<Response> => {
    requireOneHost(call.request);
    if (draining) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 2 });
    // Whoever watches the server wants to know most of all when it has too much to do.
    if (counts && call.path === METRICS_PATH) return answerMetrics(call, counts);
    if (call.path === STATUS_PATH) return app.fetch(call.request, { call });
    underWay.checkRoom(connection.pending() - streams.count);
    if (!isApi(call.path)) {
      const page = await pages?.(call);
      if (page) return page;
    }
    if (call.request.method === "OPTIONS") return new Response("OK");
    call.actor = known(call);
    underWay.countCaller(call);
    return app.fetch(call.request, { call });
  };
  return {
    drain() {
      draining = true;
    },
    async handle(request, connection) {
      const start = performance.now();
      connection.isWorking();
      const call = createCall(withAbsoluteUrl(request), connection, {
        ctx,
        config,
        gate,
        bodyRoom,
        expiries,
        streams,
        canonical: tree.canonical,
      });
      if (counts) counts.underWay++;
      const response = await underWay
        .run(call, (call) => answer(call, connection))
        .catch((error: unknown) => refusal(error, call));
      const cors = corsHeaders(call);
      if (cors) for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
      response.headers.set("X-Request-Id", call.requestId);
      setDefaultHeaders(response.headers);
      // Bun closes the connection when the client asks for it, but clients that reuse connections have to be told.
      if (draining || closesConnection(request)) response.headers.set("Connection", "close");
      if (!call.isStream) connection.isAnswered();
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

const STATUS_PATH = "/status";

/** The API, and what is served beside it without a key. */
const isApi = (path: string): boolean => path.startsWith("/api/") || path === "/openapi.json";

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
    c.env.call.template = "/openapi.json";
    return c.body(description, 200, { "Content-Type": "application/json; charset=utf-8" });
  });
  app.get(STATUS_PATH, (c) => {
    c.env.call.template = STATUS_PATH;
    if (new URLSearchParams(c.env.call.search).has("ready")) c.env.call.ctx.home.raw.get("select 1");
    return json({ status: "ok" });
  });
  app.notFound((c) =>
    refusal(notFound(`There is no ${c.req.method} ${c.env.call.path}`, "route.not_found"), c.env.call),
  );
  app.onError((error, c) => refusal(error, c.env.call));
  return app;
}

interface Surroundings {
  ctx: Context;
  config: Config;
  gate: Gate;
  bodyRoom: BodyRoom;
  expiries: Expiries;
  streams: OpenStreams;
  canonical: (path: string) => string;
}

function createCall(request: Request, connection: Connection, surroundings: Surroundings): Call {
  const { ctx, config, gate, bodyRoom, expiries, streams, canonical } = surroundings;
  const { url, headers } = request;
  // Cheaper than a URL object: "scheme://host/path?search".
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const searchStart = url.indexOf("?", pathStart);
  const rawPath = searchStart < 0 ? url.slice(pathStart) : url.slice(pathStart, searchStart);
  const trusted = config.trustedProxies.length > 0 && config.trustedProxies.some((n) => n.contains(connection.peer));
  const forwardedHost = trusted ? validHost(headers.get("x-forwarded-host")) : null;
  const scheme = (trusted && headers.get("x-forwarded-proto")) || url.slice(0, url.indexOf(":"));
  const host = forwardedHost ?? validHost(headers.get("host"));
  const target = targetOf(rawPath, host, config);
  return {
    request,
    requestId: requestId(),
    peer: connection.peer,
    address: (trusted && headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()) || connection.peer,
    proxyUser: (trusted && config.forwardAuthHeader && headers.get(config.forwardAuthHeader)) || null,
    path: canonical(target.path),
    search: searchStart < 0 ? "" : url.slice(searchStart + 1),
    scope: target.scope,
    origin: host ? `${scheme}://${host}` : url.slice(0, pathStart),
    ctx,
    config,
    gate,
    bodyBytes: 0,
    bodyRoom,
    expiries,
    streams,
    actor: { kind: "anonymous" },
    takeTime() {},
  };
}

const STARTED = Math.floor(Math.random() * 36 ** 6).toString(36);
let counter = 0;
/** Short, unique within an installation for all practical purposes: a random part of the process and a count. */
const requestId = (): string => `${STARTED}-${(++counter).toString(36)}`;

interface Done {
  readonly status: number;
  readonly ms: number;
}

function noteRequest(call: Call, counts: RequestCounts | null, { status, ms }: Done): void {
  const route = call.template ?? "unknown";
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
    ...(call.document && { document: call.document }),
    address: call.address,
    ...(isSlow && { slow: true }),
  });
}
