/**
 * Access checks of pages: identifies the user, redirects anonymous users to the sign-in page and back, and shows why
 * access is denied.
 */
import { anonymous, type DocumentGrant, type Role, type UserActor, type UserGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { describeDocument } from "../../services/documents/documents.ts";
import { guardDocument, guardSignedIn } from "../../services/access/guards.ts";
import type { Document } from "../../wire/documents/documents.ts";
import { sitePrefix, signedInUser, type PageContext } from "./page-context.ts";
import { ErrorPage, errorPageHelp, errorPageStatus, errorPageText } from "./error-page.tsx";
import { pageTexts, renderPage } from "./page-texts.tsx";
import { readDocumentTables } from "./shell/document-tables.ts";
import type { NamedTable } from "./table-data.ts";
import type { PageItem } from "./views/page-list.ts";
import { readPages } from "./views/read-views.ts";

type PageResponse = Response | Promise<Response>;

/**
 * Runs the handler for a signed-in user; redirects others to the sign-in page, and back afterwards for GET.
 * @param returnPath where to return after a form was sent without a session, with its input
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

/** Redirects to the sign-in page, which redirects back. */
export function redirectToSignIn(c: PageContext): Response {
  const { pathname, search } = new URL(c.req.url);
  const next = c.req.method === "GET" && pathname !== "/" ? `?next=${encodeURIComponent(pathname + search)}` : "";
  return c.redirect(`/sign-in${next}`, 303);
}

/** A document that the user can see, for its pages. */
export interface DocumentPageContext {
  readonly grant: DocumentGrant;
  /** Null for an anonymous reader of a public document. */
  readonly user: UserActor | null;
  readonly document: Document;
  /** The caller's role on the document. */
  readonly role: Role;
  /** Path prefix of links, from `sitePrefix`. */
  readonly prefix: string;
  /** The tables that the caller can read. */
  readonly tables: readonly NamedTable[];
  /** The pages of which the caller sees something, in their order. */
  readonly pages: readonly PageItem[];
}

/**
 * Runs the handler for a user with that role on the document in the path (`:docId`). Others get an error page;
 * anonymous users are asked to sign in first.
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
    const document = describeDocument(ctx, grant);
    const [tables, pages] = await Promise.all([readDocumentTables(ctx, grant), readPages(ctx, grant)]);
    if (user && c.req.method === "GET") ctx.lastVisits.record(user.userId, grant.uuid);
    visit = { grant, user, document, role: grant.role, prefix: sitePrefix(c), tables, pages };
  } catch (error) {
    return renderErrorPage(c, error, user);
  }
  return handler(visit);
}

/** Renders an error page; redirects anonymous users to the sign-in page where that may help. */
export function renderErrorPage(c: PageContext, error: unknown, user: UserActor | null): Response | Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  const isAccessDenied = error.code === "forbidden" || error.code === "unauthenticated";
  if (isAccessDenied && !user) return redirectToSignIn(c);
  const t = pageTexts(c);
  const text = isAccessDenied ? t("problem.denied.text") : errorPageText(t, error);
  const title = isAccessDenied
    ? t("problem.denied.title")
    : error.code === "notFound"
      ? t("problem.notFound.title")
      : t("problem.request.title");
  return renderPage(
    c,
    <ErrorPage title={title} text={text} user={user} help={errorPageHelp(error)} />,
    errorPageStatus(c, error),
  );
}
