/** The pages of a published form: for everyone who has its address. */
import type { Child } from "hono/jsx";
import { AppError, type Reason } from "../../../errors.ts";
import {
  countTrapped,
  type FormLink,
  openLink,
  type OpenForm,
  readForm,
  submitAnswer,
} from "../../../services/forms/forms.ts";
import { receiveForm, type ReceivedForm } from "../../../services/forms/receive-answer.ts";
import { Name } from "../../base/components.tsx";
import { errorPageStatus } from "../../base/error-page.tsx";
import { type PageContext, signedInUser } from "../../base/page-context.ts";
import { redirectToSignIn } from "../../base/page-guards.tsx";
import type { PageOptions, PageRoutes } from "../../base/page-routes.ts";
import { pageTexts, renderPage } from "../../base/page-texts.tsx";
import { answeredFiles, readAddress, readInput, toFields } from "./answers.ts";
import { ClosingNote, ClosingTime } from "./closing-note.tsx";
import { FormEnd, FormPage } from "./form-page.tsx";
import { hereOf, maxAnswerBytes, sectionNumber } from "./form-request.ts";
import { type FormState, FormView, TOKEN_FIELD, TRAP_FIELD } from "./form-view.tsx";
import { findHeadings } from "./headings.ts";
import { type FormLayout, readLayout } from "./layout.ts";
import { previewRoutes } from "./preview.tsx";
import { refusalOf } from "./refusals.tsx";
import { nextAddress, Success } from "./success.tsx";

export const formRoutes: PageRoutes = (app, options) => {
  app.get("/forms/:key/:section", (c) => showForm(c, options)).post((c) => answerForm(c, options));
  previewRoutes(app, options);
};

/** A published form that a request is about. */
interface Visit {
  readonly link: FormLink;
  readonly section: number;
  readonly form: OpenForm;
  readonly layout: FormLayout;
}

async function showForm(c: PageContext, { withDocumentSlot }: PageOptions): Promise<Response> {
  const visit = await openForm(c, (uuid, read) => withDocumentSlot(c.env.call, uuid, read));
  if (visit instanceof Response) return visit;
  const { form, layout } = visit;
  if (form.isSignInRequired && !signedInUser(c)) return redirectToSignIn(c);
  const { searchParams } = new URL(c.req.url);
  return showState(c, visit, { input: readAddress(layout.questions, searchParams), token: crypto.randomUUID() });
}

/**
 * Returns the form, or the page that says why there is none.
 * @param limited runs the read of the form
 */
async function openForm(
  c: PageContext,
  limited: (uuid: string, read: () => Promise<OpenForm>) => Promise<OpenForm>,
): Promise<Visit | Response> {
  c.header("X-Robots-Tag", "noindex");
  const { ctx } = c.env.call;
  try {
    const link = openLink(ctx, c.req.param("key") ?? "");
    const { uuid } = link.grant;
    c.env.call.accounting.document = uuid;
    const section = sectionNumber(c.req.param("section") ?? "");
    const form = await limited(uuid, () => readForm(ctx, link, { section, forPage: true }));
    return { link, section, form, layout: readLayout(form) };
  } catch (error) {
    return showEnd(c, error);
  }
}

function showEnd(c: PageContext, error: unknown): Response | Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  const hint = pageTexts(c)(ENDS.has(error.reason) ? "form.end.hint" : "form.end.retry");
  return renderPage(c, <FormEnd text={endText(c, error)} hint={hint} />, errorPageStatus(c, error));
}

function endText(c: PageContext, { reason, details }: AppError): Child {
  const t = pageTexts(c);
  if (reason === "form.not_found") return t("form.end.unknown");
  if (reason === "form.not_published") return t("form.end.unpublished");
  if (reason !== "form.closed") return t("form.end.unavailable");
  const at = details?.["closedAt"];
  return typeof at === "string" ? t.rich("form.end.closedOn", { time: <ClosingTime at={at} /> }) : t("form.end.full");
}

async function answerForm(c: PageContext, options: PageOptions): Promise<Response> {
  // Answers have limits of their own: a refused one is shown again with what was entered, which takes the form.
  const visit = await openForm(c, (_, read) => read());
  if (visit instanceof Response) return visit;
  const { ctx, address } = c.env.call;
  const { link, section, form, layout } = visit;
  const { maxAttachment: maxFileBytes, maxAttachments: maxFiles } = c.env.call.config;
  const fileLimits = { maxBytes: maxAnswerBytes(c), maxFileBytes, maxFiles };
  const incoming = options.incomingForm(c.env.call);
  await using received = await receiveForm({ ...incoming, limits: { ...incoming.limits, ...fileLimits } });
  const state = stateOf(received, layout);
  try {
    if (received.refusal) throw received.refusal;
    if (isTrapped(received)) {
      countTrapped(ctx);
      return await showState(c, visit, { ...state, refusal: pageTexts(c)("form.trap") }, 400);
    }
    const { rowId } = await submitAnswer(ctx, link, {
      section,
      fields: toFields(layout.questions, state.input),
      files: answeredFiles(layout.questions, received.files),
      fileLimits,
      token: state.token,
      caller: { address, user: form.isSignInRequired ? signedInUser(c) : null },
    });
    return await showSuccess(c, layout, rowId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (ENDS.has(error.reason)) return await showEnd(c, error);
    const status = errorPageStatus(c, error);
    return await showState(c, visit, { ...state, ...refusalOf(pageTexts(c), error, hereOf(c)) }, status);
  }
}

/** Refusals after which sending the form again makes no sense. */
const ENDS: ReadonlySet<Reason> = new Set(["form.not_found", "form.not_published", "form.closed"]);

interface SentState extends FormState {
  readonly token: string;
}

function stateOf(received: ReceivedForm, { questions }: FormLayout): SentState {
  const textOf = (name: string): string => received.texts.find(([each]) => each === name)?.[1] ?? "";
  return {
    input: readInput(questions, received.texts),
    hadFiles: received.files.size > 0,
    // A program need not send one: each of its answers is then a new one.
    token: textOf(TOKEN_FIELD).slice(0, MAX_TOKEN_LENGTH) || crypto.randomUUID(),
  };
}

const MAX_TOKEN_LENGTH = 100;

const isTrapped = ({ texts }: ReceivedForm): boolean =>
  texts.some(([name, text]) => name === TRAP_FIELD && text !== "");

function showState(c: PageContext, { form, layout }: Visit, state: SentState, status: 200 | ErrorStatus = 200) {
  const t = pageTexts(c);
  const user = form.isSignInRequired ? signedInUser(c) : null;
  return renderPage(
    c,
    <FormPage title={findHeadings(layout.nodes).title}>
      {user && <p class="quiet">{t.rich("form.signedInAs", { user: <Name text={user.email} /> })}</p>}
      <ClosingNote form={form} nowMs={c.env.call.ctx.clock.now()} />
      <FormView {...state} layout={layout} action={hereOf(c)} maxBytes={maxAnswerBytes(c)} />
    </FormPage>,
    status,
  );
}

type ErrorStatus = ReturnType<typeof errorPageStatus>;

function showSuccess(c: PageContext, layout: FormLayout, rowId: number) {
  const next = nextAddress(layout, rowId);
  return renderPage(
    c,
    <FormPage title={findHeadings(layout.nodes).title} next={next}>
      <Success layout={layout} next={next} formPath={hereOf(c)} />
    </FormPage>,
  );
}
