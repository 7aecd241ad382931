/** Answers requests with an `Idempotency-Key`: once by the route, and then with the answer that was kept. */
import { AppError } from "../../errors.ts";
import { must } from "../../lib/assert.ts";
import { guardSignedIn } from "../../services/access/guards.ts";
import type { Context } from "../../services/context.ts";
import {
  type AnswerStore,
  documentAnswers,
  homeAnswers,
  isKeptRefusal,
  keepInHome,
  RepeatedRefusal,
  type RequestKey,
} from "../../services/idempotency/kept-answers.ts";
import { receiveBody } from "../../services/idempotency/received-body.ts";
import { hasLines } from "../body.ts";
import type { Call } from "../call.ts";
import { contentOf, contentResponse, withContent } from "../responses.ts";
import type { HandlerInput, Route } from "../route-spec.ts";
import { incomingUpload } from "../uploads.ts";
import { hashOf, requireValidKey, scopeOf, storeOf } from "./scope.ts";

type Input = Omit<HandlerInput<unknown, unknown, unknown, unknown>, "ctx" | "call">;
type Spec = Route["spec"];

interface KeyedHandler<I extends Input = Input> {
  readonly spec: Spec;
  /** The input of the handler, validated. */
  readonly input: () => I;
  readonly respond: (call: Call, input: I) => Promise<Response> | Response;
}

/** Waits for requests with the same key. Returns the function that ends this one. */
export const enterKeyed = async (call: Call): Promise<(() => void) | null> =>
  call.actor.kind === "anonymous" ? null : call.services.pendingKeys.enter(scopeOf(call, call.actor));

/** Answers a request whose access was checked. @throws AppError */
export async function answerKeyed<I extends Input>(
  call: Call,
  grant: unknown,
  { bytes, ...handler }: KeyedHandler<I> & { readonly bytes: Uint8Array | null },
): Promise<Response> {
  requireValidKey(call);
  const actor = call.actor.kind === "endUser" ? call.actor : guardSignedIn(call.actor).actor;
  const { spec } = handler;
  const isStreamed = spec.body?.kind === "upload" || (spec.body?.lines !== undefined && hasLines(call));
  await using spool = isStreamed ? await receiveBody(incomingUpload(call)) : null;
  const key: RequestKey = { scope: scopeOf(call, actor), bodyHash: spool?.hash ?? hashOf(bytes ?? "") };
  const own = spool ? { ...call, request: withBody(call.request, spool.stream()) } : call;
  const document = storeOf(spec) === "document" ? spec.access.documentOf?.(grant) : undefined;
  // End users change nothing but their document.
  const userId = document ? null : guardSignedIn(actor).actor.userId;
  const store =
    userId === null
      ? documentAnswers(call.ctx, must(document, "document"), key)
      : homeAnswers(call.ctx, { key, userId, answerOf: answerFrom(handler, call) });
  const repeated = await findRepeated(call, store, handler);
  if (repeated) return repeated;
  try {
    if (userId !== null && !answerFrom(handler, call))
      return await answerInTransaction(own, handler, { key, userId, store });
    const response = await handler.respond({ ...own, ctx: store.ctx }, handler.input());
    if (!store.isKept() && !keepsOnlyChanges(spec)) await keepResponse(store, response);
    return response;
  } catch (error) {
    if (isKeptRefusal(error) && !store.isKept()) await store.keepRefusal(error);
    throw error;
  }
}

/**
 * Answers a repeated request whose resource is gone, because the first one has removed it: its access cannot be checked
 * any more. Existing resources without access are refused, rather than hidden.
 */
export async function answerRemoved(
  call: Call,
  { idempotency }: Spec,
  bytes: Uint8Array | null,
): Promise<Response | null> {
  if (idempotency === "ignored" || !idempotency?.removes || call.actor.kind !== "user") return null;
  const { userId } = call.actor;
  const key = { scope: scopeOf(call, call.actor), bodyHash: hashOf(bytes ?? "") };
  const found = await homeAnswers(call.ctx, { key, userId, answerOf: undefined }).find().catch(ignoreRefusals);
  if (!found || "result" in found) return null;
  call.accounting.isReplay = true;
  return contentResponse(found);
}

/** @throws unless an answer of an earlier request refuses this one: then that of the access check applies */
function ignoreRefusals(error: unknown): null {
  if (error instanceof RepeatedRefusal || error instanceof AppError) return null;
  throw error;
}

async function findRepeated(
  call: Call,
  store: AnswerStore,
  handler: Pick<KeyedHandler, "spec" | "input">,
): Promise<Response | null> {
  try {
    const found = await store.find();
    if (!found) return null;
    call.accounting.isReplay = true;
    if (!("result" in found)) return contentResponse(found);
    const { accepted } = handler.spec;
    const content = JSON.stringify(answerFrom(handler, call)?.(found.result) ?? null);
    return contentResponse({ status: accepted ? 202 : 200, form: "json", content });
  } catch (error) {
    if (!(error instanceof RepeatedRefusal)) throw error;
    call.accounting.isReplay = true;
    throw error.refusal;
  }
}

/** Returns the function that creates the answer from what the operation returned. */
function answerFrom(
  { spec: { idempotency }, input }: Pick<KeyedHandler, "spec" | "input">,
  call: Call,
): ((result: unknown) => unknown) | undefined {
  const answerOf = idempotency === "ignored" ? undefined : idempotency?.answerOf;
  return answerOf && ((result) => answerOf({ ...input(), call, ctx: call.ctx }, result));
}

/** A handler that is synchronous runs in one transaction of the home database, with its answer. */
async function answerInTransaction<I extends Input>(
  call: Call,
  { respond, input }: Pick<KeyedHandler<I>, "respond" | "input">,
  { key, userId, store }: { key: RequestKey; userId: number; store: AnswerStore },
): Promise<Response> {
  const { ctx }: { ctx: Context } = call;
  let isKept = false;
  const { answer } = ctx.home.transaction(() => {
    const { result, content } = withContent(() => respond(call, input()));
    if (!(result instanceof Promise) && content) {
      keepInHome(ctx, { key, userId }, content);
      isKept = true;
    }
    // A transaction must not return a promise.
    return { answer: result };
  });
  const response = await answer;
  if (!isKept) await keepResponse(store, response);
  return response;
}

const keepsOnlyChanges = ({ idempotency }: Spec): boolean =>
  idempotency !== "ignored" && idempotency?.keepsOnlyChanges === true;

async function keepResponse(store: AnswerStore, response: Response): Promise<void> {
  if (response.ok) await store.keep(await contentOf(response));
}

const withBody = (request: Request, body: ReadableStream<Uint8Array>): Request =>
  new Request(request.url, { method: request.method, headers: request.headers, body, signal: request.signal });
