/** What pages of forms read from their requests. */
import { notFound } from "../../../errors.ts";
import type { PageContext } from "../../base/page-context.ts";

/** The largest answer with files, unless the settings allow less: the address of a form is public. */
const MAX_ANSWER_BYTES = 100_000_000;

/** Returns the section in the address; digits at its beginning count, as in the API. @throws AppError `form.not_found` */
export function sectionNumber(text: string): number {
  const [digits] = /^\d{1,15}/.exec(text) ?? [];
  if (digits === undefined) throw notFound("Form not found", "form.not_found");
  return Number(digits);
}

/** Returns the greatest size of an answer with its files. */
export const maxAnswerBytes = ({ env }: PageContext): number => Math.min(env.call.config.maxUpload, MAX_ANSWER_BYTES);

/** Returns the address of the form with its initial values, to which answers are sent. */
export function hereOf(c: PageContext): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
}
