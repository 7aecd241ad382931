import type { UserActor } from "../../authorization.ts";
import type { AppError, ErrorCode } from "../../errors.ts";
import type { PageContext } from "./page-context.ts";
import { StatusMessage, Page } from "./layout.tsx";
import { pageMessage } from "./page-messages.ts";

type ErrorStatus = 400 | 403 | 404 | 413 | 429 | 500 | 503 | 507;

/** What refusals are on pages. None is 401: that would ask for credentials in a header, which browsers do not have. */
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

/** The status of a page that tells of a refusal, which is also told when to try again. */
export function errorPageStatus(c: PageContext, { code, retryAfterS }: AppError): ErrorStatus {
  if (retryAfterS !== undefined) c.header("Retry-After", String(retryAfterS));
  return STATUS_BY_KIND[code] ?? 400;
}

/** A refusal as a sentence, and how long it lasts where that is known. */
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
  /** Who is signed in. */
  user?: UserActor | null;
}

/** A page that says why there is no other. */
export const ErrorPage = ({ title, text, user = null }: ErrorPageProps) => (
  <Page title={title} user={user} narrow>
    <StatusMessage text={text} problem />
    <p>
      <a href="/">Back to the start</a>
    </p>
  </Page>
);
