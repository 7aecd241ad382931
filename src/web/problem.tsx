import type { UserActor } from "../access.ts";
import type { AppError, ErrorCode } from "../errors.ts";
import type { PageContext } from "./env.ts";
import { Note, Page } from "./layout.tsx";
import { pageSentence } from "./refusal-sentences.ts";

type Status = 400 | 403 | 404 | 413 | 429 | 500 | 503 | 507;

/** What refusals are on pages. None is 401: that would ask for credentials in a header, which browsers do not have. */
const STATUS: Partial<Record<ErrorCode, Status>> = {
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
export function refusalStatus(c: PageContext, { code, retryAfterS }: AppError): Status {
  if (retryAfterS !== undefined) c.header("Retry-After", String(retryAfterS));
  return STATUS[code] ?? 400;
}

/** A refusal as a sentence, and how long it lasts where that is known. */
export function refusalText({ message, reason, retryAfterS }: AppError): string {
  const sentence = pageSentence(reason) ?? (message.endsWith(".") ? message : `${message}.`);
  return retryAfterS === undefined ? sentence : `${sentence} Try again in ${duration(retryAfterS)}.`;
}

function duration(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? "a second" : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}

interface ProblemProps {
  title: string;
  text: string;
  /** Who is signed in. */
  user?: UserActor | null;
}

/** A page that says why there is no other. */
export const Problem = ({ title, text, user = null }: ProblemProps) => (
  <Page title={title} user={user} narrow>
    <Note text={text} problem />
    <p>
      <a href="/">Back to the start</a>
    </p>
  </Page>
);
