/** Settings of a whole form: in its layout, and those of which the format has none in the options of its section. */
import { jsonObject, objectOf, withJsonKeys } from "../../base/views/metadata-values.ts";

/** Settings that only Quern has. */
export interface OwnSettings {
  readonly signIn: boolean;
  /** ISO 8601 in UTC; null for a form that stays open. */
  readonly closesAt: string | null;
  readonly maxAnswers: number | null;
}

const VERSION = 1;

/** @param options JSON as text */
export function readOwnSettings(options: string): OwnSettings {
  const form = objectOf(objectOf(jsonObject(options)["quern"])["form"]);
  const { signIn, closesAt, maxAnswers } = form;
  return {
    signIn: signIn === true,
    closesAt: typeof closesAt === "string" && !Number.isNaN(Date.parse(closesAt)) ? closesAt : null,
    maxAnswers:
      typeof maxAnswers === "number" && Number.isSafeInteger(maxAnswers) && maxAnswers > 0 ? maxAnswers : null,
  };
}

/** Returns the options of the section after a change. Settings that are off are removed, other keys stay. */
export function withOwnSettings(options: string, changes: Partial<OwnSettings>): string {
  const quern = objectOf(jsonObject(options)["quern"]);
  const entries = Object.entries({ ...objectOf(quern["form"]), ...changes });
  const form = Object.fromEntries(entries.filter(([, value]) => value !== false && value !== null));
  const { form: _, v, ...others } = quern;
  const isEmpty = Object.keys(form).length === 0;
  if (isEmpty && Object.keys(others).length === 0) return withJsonKeys(options, { quern: undefined });
  return withJsonKeys(options, { quern: { v: v ?? VERSION, ...others, ...(!isEmpty && { form }) } });
}
