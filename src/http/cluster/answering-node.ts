/** Has each request answered by the node of a cluster that owns its document. */
import { anonymous, type Actor, type DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { readSessionCookie } from "../../lib/network/session-cookie.ts";
import { actorFromBrowser, needsNewUser } from "../../services/accounts/actors.ts";
import { guardDocument, guardFormLink } from "../../services/access/guards.ts";
import { type Cluster, HOME_DOCUMENT, type ReceivedHop } from "../../services/cluster.ts";
import { identify } from "../auth.ts";
import type { Call } from "../call.ts";
import { answerPeerCall, isPeerCall } from "./peer-call.ts";
import { checkKeyLimits } from "../keys/key-limits.ts";
import type { ClassifiedRequest, RequestClasses } from "./request-classes.ts";
import { forwardedStream } from "./forwarded-stream.ts";
import { ForwardedBody } from "./request-body.ts";

/** Nothing else answers with this status, and it never gets to a client. */
const misdirected = (): Response => new Response(null, { status: 421 });

/** The header by which the node that forwarded a request knows that it was refused. */
const HOP_HEADER = "X-Quern-Hop";

/** Time by which a node that forwards waits longer than the one that answers. */
const FORWARD_GRACE_MS = 5000;
const LONG_RUNNING_FACTOR = 60;

/** Returns the response of another node, or null when this one answers. @throws AppError */
export async function answerOnOwningNode(
  call: Call,
  cluster: Cluster,
  classes: RequestClasses,
): Promise<Response | null> {
  const { hop } = call;
  if (hop === "invalid") return invalidHop(call);
  if (hop === "misdirected") return misdirected();
  if (hop !== null) return receive(call, cluster, hop);
  const classified = classes.find(call);
  if (call.request.method === "OPTIONS" || classified.requestClass === "node") return null;
  await cluster.freshHome();
  const stale = cluster.staleHomeRefusal();
  if (stale) refuseChanges(call, classified, stale);
  const { requestClass } = needsNewUser(call.ctx, call) ? { requestClass: "home" as const } : classified;
  if (requestClass === "anywhere") return null;
  const doc = requestClass === "home" ? HOME_DOCUMENT : findDocument(call, classified);
  if (doc === null) return null;
  return forward(call, cluster, { doc, ...classified });
}

/**
 * Without PostgreSQL a node answers reads until its lease ends. It accepts no changes meanwhile, and no keys and sessions
 * that it does not know: they may have been created on another node.
 */
function refuseChanges(call: Call, { requestClass, isPage }: ClassifiedRequest, refusal: AppError): void {
  const { request } = call;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (requestClass === "home" || !isRead || needsNewUser(call.ctx, call)) throw refusal;
  const hasCredentials = request.headers.has("authorization") || readSessionCookie(request) !== null;
  if (hasCredentials && !isKnownCaller(call, isPage)) throw refusal;
}

function isKnownCaller(call: Call, isPage: boolean): boolean {
  try {
    return identifyCaller(call, isPage).kind !== "anonymous";
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const identifyCaller = (call: Call, isPage: boolean): Actor =>
  isPage ? (actorFromBrowser(call.ctx, call) ?? anonymous) : identify(call);

async function receive(call: Call, cluster: Cluster, hop: ReceivedHop): Promise<Response | null> {
  await cluster.freshHome(hop.homeSeq);
  if (hop.doc === null) return isPeerCall(call) ? answerPeerCall(call, cluster, hop) : null;
  if (!(await cluster.answersFor(hop.doc))) return misdirected();
  beginUse(call, cluster, hop.doc);
  return null;
}

function invalidHop(call: Call): Response {
  call.ctx.log.warn("cluster.hop_refused", { requestId: call.requestId, peer: call.peer });
  const error = "The header X-Quern-Hop is only for requests between servers, or the clocks of two servers differ";
  return Response.json(
    { error, details: { code: "cluster.hop_invalid" } },
    { status: 400, headers: { [HOP_HEADER]: "invalid" } },
  );
}

/**
 * Returns the document that a request is about; null when its caller has no access. Then the refusal is given here, so that
 * neither it nor the time that it takes depends on where the document is.
 */
function findDocument(call: Call, { documentRef, formKey, isPage, id }: ClassifiedRequest): string | null {
  try {
    const actor = identifyCaller(call, isPage);
    if (formKey !== null) {
      const { uuid } = guardFormLink(call.ctx, formKey);
      call.actor = actor;
      call.accounting.document = uuid;
      return uuid;
    }
    if (id !== null) checkKeyLimits({ actor, search: call.search, accounting: call.accounting }, id, undefined);
    const grant = guardLowest(call, actor, documentRef ?? "");
    call.actor = actor;
    call.accounting.document = grant.uuid;
    return grant.uuid;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const guardLowest = ({ ctx, scope }: Call, actor: Actor, ref: string): DocumentGrant =>
  guardDocument(ctx, actor, scope, ref, "viewers", { removed: "any", tables: "part" });

interface Target extends ClassifiedRequest {
  readonly doc: string;
}

async function forward(
  call: Call,
  cluster: Cluster,
  { doc, template, isLong, isStream }: Target,
): Promise<Response | null> {
  const { request, requestId, address, origin, host, proxyUser, accounting, config } = call;
  const body = new ForwardedBody(call);
  const timeoutMs = config.deadlineS * 1000 * (isLong ? LONG_RUNNING_FACTOR : 1) + FORWARD_GRACE_MS;
  const client = { requestId, address, origin, host, proxyUser };
  const read = () => {
    // The answering node has the same deadline, and answers when it has passed.
    accounting.extendDeadline();
    return body.read();
  };
  const answer = await cluster.forward(doc, { request, ...client, readBody: read, timeoutMs, isStream });
  if (!answer) {
    body.restore();
    beginUse(call, cluster, doc);
    return null;
  }
  accounting.forwardedTo = answer.node;
  accounting.template = template;
  return isStream ? countedStream(call, answer.response) : answer.response;
}

function beginUse({ accounting }: Call, cluster: Cluster, doc: string): void {
  const end = cluster.use(doc);
  if (end) accounting.endUse = end;
}

/** Events last until the client disconnects, or this node shuts down: they are no requests in flight. */
function countedStream(call: Call, response: Response): Response {
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  call.accounting.isStream = true;
  return new Response(forwardedStream(response.body, call.services.streams), response);
}
