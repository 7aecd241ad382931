/** The frames of a form: of the form itself, of its end, and of the page after an answer. */
import type { Child, FC } from "hono/jsx";
import { Page } from "../../base/layout.tsx";
import { useTexts } from "../../base/page-texts.tsx";

interface FormPageProps {
  /** What the author calls the form; null for a form without a title. */
  readonly title: string | null;
  /** Where the browser goes at once. */
  readonly next?: URL | null;
  readonly children?: Child;
}

/** A page that names nothing of the document but the form. */
export const FormPage: FC<FormPageProps> = ({ title, next = null, children }) => {
  const t = useTexts();
  return (
    <Page
      title={title ?? t("form.title")}
      narrow
      heading={false}
      bundle="form"
      {...(next && { head: <meta http-equiv="refresh" content={`0; url=${next.href}`} /> })}
    >
      {children}
    </Page>
  );
};

/** Why a form accepts no answers. */
export const FormEnd: FC<{ text: Child; hint: string }> = ({ text, hint }) => (
  <FormPage title={null}>
    <div class="card">
      <h1>{text}</h1>
      <p>{hint}</p>
    </div>
  </FormPage>
);
