/** Texts for errors of the API, by `details.code`. */
import type { Reason } from "../../errors/codes.ts";
import { PSEUDO_LANGUAGE } from "../texts/pseudo.ts";
import type { PlainTexts } from "../texts/texts.ts";

export interface ErrorToShow {
  /** `details.code` */
  readonly code: string;
  /** The API's own sentence, in English. */
  readonly sentence: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Codes whose text says all that the API's own sentence says, in the words of pages. */
const COMPLETE_TEXTS: ReadonlySet<string> = new Set<Reason>([
  "access.edit_denied",
  "access.owner_required",
  "access.user_disabled",
  "access.view_denied",
  "cell.not_found",
  "document.disabled",
  "document.not_found",
  "identity.last",
  "identity.not_found",
  "identity.taken",
  "limit.caller_requests",
  "limit.document_requests",
  "limit.rate",
  "limit.requests",
  "limit.streams",
  "limit.uploads",
  "password.off",
  "provider.clock",
  "provider.invalid_response",
  "provider.not_found",
  "provider.unavailable",
  "server.overloaded",
  "server.shutting_down",
  "session.not_found",
  "sign_in.cancelled",
  "sign_in.expired",
  "sign_in.refused",
  "upload.not_found",
  "user.last_administrator",
  "workspace.not_found",
  "workspace.removed",
]);

/**
 * Returns an error in the page's language. For codes that cover many cases, the API's own sentence is more precise: in
 * English it replaces the text, and in other languages it follows the text.
 */
export function errorText(t: PlainTexts, { code, sentence, details }: ErrorToShow): LocalizedError {
  const text = t.ofFamily("error.*", code, details);
  const complete = /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
  if (text === undefined) return { text: null, sentence: complete };
  if (COMPLETE_TEXTS.has(code)) return { text, sentence: null };
  return { text: isEnglish(t.locale) ? null : text, sentence: complete };
}

/** At least one of both. */
export interface LocalizedError {
  /** In the language of the page. */
  readonly text: string | null;
  /** In English. */
  readonly sentence: string | null;
}

/** Joins both parts, where an error can only be a text. */
export const plainErrorText = ({ text, sentence }: LocalizedError): string =>
  [text, sentence].filter((part) => part !== null).join(" ");

export const isEnglish = (locale: string): boolean => /^en\b/.test(locale) && locale !== PSEUDO_LANGUAGE;
