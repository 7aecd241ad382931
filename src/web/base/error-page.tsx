import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../../authorization.ts";
import type { AppError, ErrorCode } from "../../errors.ts";
import type { PageContext } from "./page-context.ts";
import { StatusMessage, Page } from "./layout.tsx";
import { errorText } from "./error-text.ts";
import { errorHelpLink } from "./help/help-links.ts";
import { HomeSidebar } from "./shell/home-sidebar.tsx";
import { useTexts, type PageTexts } from "./page-texts.tsx";

type ErrorStatus = 400 | 403 | 404 | 413 | 429 | 500 | 503 | 507;

/**
 * HTTP statuses of errors on pages. 401 is never used: it would require a WWW-Authenticate challenge, which pages do
 * not support.
 */
const STATUS_BY_KIND: Partial<Record<ErrorCode, ErrorStatus>> = {
  forbidden: 403,
  unauthenticated: 403,
  notFound: 404,
  tooLarge: 413,
  tooMany: 429,
  unavailable: 503,
  storage: 507,
  damaged: 500,
};

/** Returns the status of an error page and sets Retry-After. */
export function errorPageStatus(c: PageContext, { code, retryAfterS }: AppError): ErrorStatus {
  if (retryAfterS !== undefined) c.header("Retry-After", String(retryAfterS));
  return STATUS_BY_KIND[code] ?? 400;
}

/** Returns an error in the page's language, with the time until a retry where known. */
export function errorPageText(t: PageTexts, { message, reason, details, retryAfterS }: AppError): Child {
  const { text, sentence } = errorText(t, { code: reason, sentence: message, details });
  const parts = [
    text,
    sentence !== null && text !== null ? <EnglishText text={sentence} /> : sentence,
    retryAfterS === undefined ? null : retryText(t, retryAfterS),
  ].filter((part) => part !== null);
  return <>{parts.flatMap((part, index) => (index === 0 ? [part] : [" ", part]))}</>;
}

/** A sentence of the API on a page in another language. */
const EnglishText: FC<{ text: string }> = ({ text }) => (
  <bdi lang="en" translate="no">
    {text}
  </bdi>
);

function retryText(t: PageTexts, seconds: number): string {
  if (seconds < 60) return t("problem.retryInSeconds", { count: seconds });
  return t("problem.retryInMinutes", { count: Math.ceil(seconds / 60) });
}

interface ErrorPageProps {
  title: string;
  text: Child;
  /** The signed-in user. */
  user?: UserActor | null;
  /** The address of the help about the error. */
  help?: string;
}

/** An error page; with the sidebar of the documents for a signed-in user, without sites, which may be what failed. */
export const ErrorPage: FC<ErrorPageProps> = ({ title, text, user = null, help = "/help" }) => {
  const t = useTexts();
  return (
    <Page
      title={title}
      user={user}
      narrow={!user}
      {...(user && { sidebar: <HomeSidebar sites={[]} here="" prefix="" /> })}
    >
      <StatusMessage text={text} problem />
      <p class="bar">
        <a href="/">{t("problem.home")}</a>
        <a href={help}>{t("base.menu.help")}</a>
      </p>
    </Page>
  );
};

/** Returns the address of the help about an error: what to do, or at least the list of errors. */
export const errorPageHelp = ({ reason }: AppError): string => errorHelpLink(reason) ?? `/help/errors#${reason}`;
