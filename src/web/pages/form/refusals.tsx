/** What a form says when its answer was refused. */
import type { AppError } from "../../../errors.ts";
import type { FieldProblem } from "../../../services/forms/forms.ts";
import type { PageTexts } from "../../base/page-texts.tsx";
import type { FormState } from "./form-view.tsx";

/** Waiting time where the server gives none. */
const RETRY_AFTER_S = 10;

/** Returns what is wrong with the answers, or why the form was not sent. */
export function refusalOf(
  t: PageTexts,
  { code, reason, details, retryAfterS }: AppError,
  here: string,
): Pick<FormState, "problems" | "refusal"> {
  if (reason === "form.fields_invalid") {
    const fields = (details?.["fields"] ?? {}) as Readonly<Record<string, FieldProblem>>;
    return { problems: new Map(Object.entries(fields)) };
  }
  if (reason === "form.sign_in") {
    const signIn = `/sign-in?${new URLSearchParams({ next: here }).toString()}`;
    const link = (text: unknown) => (
      <a href={signIn} target="_blank">
        {text}
      </a>
    );
    return { refusal: t.rich("form.signedOut", { link }) };
  }
  if (code === "tooMany" || reason === "form.busy") {
    return { refusal: t("form.busy", { count: retryAfterS ?? RETRY_AFTER_S }) };
  }
  return { refusal: t(code === "tooLarge" ? "form.tooLarge" : "form.failed") };
}
