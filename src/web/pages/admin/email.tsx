import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { describeEmail, sendTestMessage, type TestMessageResult } from "../../../services/email/administration.ts";
import type { EmailStatus } from "../../../services/email/email.ts";
import type { PageContext } from "../../base/page-context.ts";
import { EmptyState, Name, Note, StatusMessage } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { AdminPage, withAdmin, type AdminPageContext, type FormOutcome } from "./layout.tsx";

/** Whether email is sent, and a form that sends a test message. */
export const showEmail = (visit: AdminPageContext): Response | Promise<Response> =>
  renderPage(visit.c, <EmailPage visit={visit} />);

export const sendTest = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    try {
      const result = await sendTestMessage(c.env.call.ctx, visit.grant);
      return await renderPage(c, <EmailPage visit={visit} result={result} />);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const problem = errorPageText(pageTexts(c), error);
      return renderPage(c, <EmailPage visit={visit} problem={problem} />, errorPageStatus(c, error));
    }
  });

const EmailPage: FC<FormOutcome & { visit: AdminPageContext; result?: TestMessageResult }> = ({
  visit,
  result,
  ...outcome
}) => {
  const status = describeEmail(visit.c.env.call.ctx, visit.grant);
  return (
    <AdminPage visit={visit} tab="admin.tab.email" {...outcome}>
      {result && <TestResult result={result} />}
      {status.missing === null ? <Sending status={status} /> : <EmailOff missing={status.missing} />}
    </AdminPage>
  );
};

const TestResult: FC<{ result: TestMessageResult }> = ({ result: { recipient, isSent, error } }) => {
  const t = useTexts();
  return isSent ? (
    <StatusMessage text={<>{t.rich("admin.email.testSent", { email: <Name text={recipient} /> })}</>} />
  ) : (
    <StatusMessage text={<>{t.rich("admin.email.testFailed", { error: <Name text={error ?? ""} /> })}</>} problem />
  );
};

const EmailOff: FC<{ missing: string }> = ({ missing }) => {
  const t = useTexts();
  return (
    <EmptyState title={t("admin.email.off")} icon="mail">
      <p>{t.rich("admin.email.offText", { setting: <code translate="no">{missing}</code> })}</p>
    </EmptyState>
  );
};

const Sending: FC<{ status: EmailStatus }> = ({ status: { server, from, waiting, lastError } }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="email-title">
      <h2 id="email-title">{t("admin.email.title")}</h2>
      {lastError !== null && (
        <Note text={<>{t.rich("admin.email.failing", { error: <Name text={lastError} /> })}</>} problem />
      )}
      <dl>
        <dt>{t("admin.email.server")}</dt>
        <dd translate="no">{server}</dd>
        <dt>{t("admin.email.from")}</dt>
        <dd translate="no">{from?.address}</dd>
        <dt>{t("admin.email.queue")}</dt>
        <dd>{t("admin.email.waiting", { count: waiting })}</dd>
      </dl>
      <form method="post" action="/admin/email">
        <button>{t("admin.email.test")}</button>
      </form>
      <p class="hint">{t("admin.email.testHint")}</p>
    </section>
  );
};
