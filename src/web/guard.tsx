/** Who may see a page: finds out who asks, sends strangers to sign in and back, and says plainly what is closed. */
import { anonymous, type DocumentGrant, type Role, type UserActor, type UserGrant } from "../access.ts";
import { AppError } from "../errors.ts";
import { describeDocument } from "../services/documents.ts";
import { guardDocument, guardSignedIn } from "../services/guards.ts";
import type { Document } from "../wire/documents.ts";
import { sitePrefix, visitor, type PageContext } from "./env.ts";
import { Problem, refusalStatus, refusalText } from "./problem.tsx";

type Answer = Response | Promise<Response>;

/**
 * Does the work for whoever is signed in; all others sign in first, and come back when this is a page to come back to.
 * @param back where whoever sent a form comes back to, with what was typed
 */
export function forVisitor<T>(c: PageContext, work: (grant: UserGrant) => T, back?: string): T | Response {
  const actor = visitor(c);
  if (actor) return work(guardSignedIn(actor));
  return back === undefined
    ? toSignIn(c)
    : c.redirect(`/sign-in?${new URLSearchParams({ next: back, ended: "yes" }).toString()}`, 303);
}

/** Leads to the sign-in page, and from there back to here. */
export function toSignIn(c: PageContext): Response {
  const { pathname, search } = new URL(c.req.url);
  const next = c.req.method === "GET" && pathname !== "/" ? `?next=${encodeURIComponent(pathname + search)}` : "";
  return c.redirect(`/sign-in${next}`, 303);
}

/** A document that somebody may see, as pages about it need it. */
export interface DocumentVisit {
  readonly grant: DocumentGrant;
  /** Null for somebody who is not signed in and sees a public document. */
  readonly user: UserActor | null;
  readonly document: Document;
  /** The caller's role there. */
  readonly role: Role;
  /** Before the paths of links, as `sitePrefix` says. */
  readonly prefix: string;
}

/**
 * Does the work for somebody with that role on the document in the path (`:docId`). Others get a page that says why
 * not; who is not signed in may do so first.
 */
export async function forDocument(
  c: PageContext,
  need: Role,
  work: (visit: DocumentVisit) => Answer,
): Promise<Response> {
  const user = visitor(c);
  const { ctx, scope } = c.env.call;
  let visit: DocumentVisit;
  try {
    const grant = guardDocument(ctx, user ?? anonymous, scope, c.req.param("docId") ?? "", need);
    c.env.call.accounting.document = grant.uuid;
    visit = { grant, user, document: describeDocument(ctx, grant), role: grant.role, prefix: sitePrefix(c) };
  } catch (error) {
    return refusedPage(c, error, user);
  }
  return work(visit);
}

/** The page for a refusal that leaves nothing else to show; strangers are asked to sign in where that may help. */
export function refusedPage(c: PageContext, error: unknown, user: UserActor | null): Response | Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  const isClosed = error.code === "forbidden" || error.code === "unauthenticated";
  if (isClosed && !user) return toSignIn(c);
  const text = isClosed
    ? "You do not have access to this, or not enough. Ask somebody who owns it to share it with you."
    : refusalText(error);
  const title = isClosed ? "Not for you" : error.code === "notFound" ? "Nothing here" : "Not possible";
  return c.html(<Problem title={title} text={text} user={user} />, refusalStatus(c, error));
}
