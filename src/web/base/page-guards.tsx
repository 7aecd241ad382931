/** Who may see a page: finds out who asks, sends strangers to sign in and back, and says plainly what is closed. */
import { anonymous, type DocumentGrant, type Role, type UserActor, type UserGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { describeDocument } from "../../services/documents/documents.ts";
import { guardDocument, guardSignedIn } from "../../services/access/guards.ts";
import type { Document } from "../../wire/documents/documents.ts";
import { sitePrefix, signedInUser, type PageContext } from "./page-context.ts";
import { ErrorPage, errorPageStatus, errorPageText } from "./error-page.tsx";

type PageResponse = Response | Promise<Response>;

/**
 * Does the work for whoever is signed in; all others sign in first, and come back when this is a page to come back to.
 * @param returnPath where whoever sent a form comes back to, with what was typed
 */
export function withSignedInUser<T>(
  c: PageContext,
  handler: (grant: UserGrant) => T,
  returnPath?: string,
): T | Response {
  const actor = signedInUser(c);
  if (actor) return handler(guardSignedIn(actor));
  return returnPath === undefined
    ? redirectToSignIn(c)
    : c.redirect(`/sign-in?${new URLSearchParams({ next: returnPath, ended: "yes" }).toString()}`, 303);
}

/** Leads to the sign-in page, and from there back to here. */
export function redirectToSignIn(c: PageContext): Response {
  const { pathname, search } = new URL(c.req.url);
  const next = c.req.method === "GET" && pathname !== "/" ? `?next=${encodeURIComponent(pathname + search)}` : "";
  return c.redirect(`/sign-in${next}`, 303);
}

/** A document that somebody may see, as pages about it need it. */
export interface DocumentPageContext {
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
export async function withDocument(
  c: PageContext,
  required: Role,
  handler: (visit: DocumentPageContext) => PageResponse,
): Promise<Response> {
  const user = signedInUser(c);
  const { ctx, scope } = c.env.call;
  let visit: DocumentPageContext;
  try {
    const grant = guardDocument(ctx, user ?? anonymous, scope, c.req.param("docId") ?? "", required);
    c.env.call.accounting.document = grant.uuid;
    visit = { grant, user, document: describeDocument(ctx, grant), role: grant.role, prefix: sitePrefix(c) };
  } catch (error) {
    return renderErrorPage(c, error, user);
  }
  return handler(visit);
}

/** The page for a refusal that leaves nothing else to show; strangers are asked to sign in where that may help. */
export function renderErrorPage(c: PageContext, error: unknown, user: UserActor | null): Response | Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  const isAccessDenied = error.code === "forbidden" || error.code === "unauthenticated";
  if (isAccessDenied && !user) return redirectToSignIn(c);
  const text = isAccessDenied
    ? "You do not have access to this, or not enough. Ask somebody who owns it to share it with you."
    : errorPageText(error);
  const title = isAccessDenied ? "Not for you" : error.code === "notFound" ? "Nothing here" : "Not possible";
  return c.html(<ErrorPage title={title} text={text} user={user} />, errorPageStatus(c, error));
}
