import type { UserActor } from "../../authorization.ts";
import type { AppError, ErrorCode } from "../../errors.ts";
import type { PageContext } from "./page-context.ts";
import { StatusMessage, Page } from "./layout.tsx";
import { pageMessage } from "./page-messages.ts";

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

/** Returns an error as a sentence, with the time until a retry where known. */
export function errorPageText({ message, reason, retryAfterS }: AppError): string {
  const fullMessage = pageMessage(reason) ?? (message.endsWith(".") ? message : `${message}.`);
  return retryAfterS === undefined ? fullMessage : `${fullMessage} Try again in ${formatDuration(retryAfterS)}.`;
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? "a second" : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}

interface ErrorPageProps {
  title: string;
  text: string;
  /** The signed-in user. */
  user?: UserActor | null;
}

/** An error page. */
export const ErrorPage = ({ title, text, user = null }: ErrorPageProps) => (
  <Page title={title} user={user} narrow>
    <StatusMessage text={text} problem />
    <p>
      <a href="/">Go to home page</a>
    </p>
  </Page>
);
