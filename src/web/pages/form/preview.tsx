/** The preview of a form for members of its document, published or not. */
import { readDocumentForm } from "../../../services/forms/forms.ts";
import { type PageContext, sitePrefix } from "../../base/page-context.ts";
import { displayName } from "../../base/document-table.tsx";
import { Page } from "../../base/layout.tsx";
import { renderErrorPage, withDocument } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { pageTexts, renderPage } from "../../base/page-texts.tsx";
import { readAddress } from "./answers.ts";
import { ClosingNote } from "./closing-note.tsx";
import { FormView } from "./form-view.tsx";
import { findHeadings } from "./headings.ts";
import { readLayout } from "./layout.ts";
import { maxAnswerBytes, sectionNumber } from "./form-request.ts";

/** Addresses of forms on the established server, for members. */
const FORMER_ADDRESSES = [
  "/doc/:docId/f/:section",
  "/doc/:docId/:name/f/:section",
  "/:docId{[A-Za-z0-9]{12,}}/:name/f/:section",
] as const;

export const previewRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/forms/:section", showPreview);
  for (const path of FORMER_ADDRESSES) app.get(path, redirectFormerAddress);
};

function redirectFormerAddress(c: PageContext): Response {
  const { docId = "", section = "" } = c.req.param() as Record<string, string>;
  return c.redirect(`${sitePrefix(c)}/docs/${docId}/forms/${section}${new URL(c.req.url).search}`);
}

const showPreview = (c: PageContext): Promise<Response> =>
  withDocument(c, "viewers", async ({ grant, user, document, role, prefix }) => {
    const t = pageTexts(c);
    try {
      const section = sectionNumber(c.req.param("section") ?? "");
      const { ctx } = c.env.call;
      const form = await readDocumentForm(ctx, grant, { section, forPage: true });
      const layout = readLayout(form);
      const title = t("base.document.title", {
        page: findHeadings(layout.nodes).title ?? t("form.title"),
        document: displayName(t, document.name),
      });
      const input = readAddress(layout.questions, new URL(c.req.url).searchParams);
      return await renderPage(
        c,
        <Page title={title} user={user} narrow heading={false} bundle="form">
          <p class="note preview" id="preview-note">
            {t("form.preview")}{" "}
            {role === "viewers" ? (
              <a href={`${prefix}/docs/${document.uuid}`}>{t("form.preview.back")}</a>
            ) : (
              <a href={`${prefix}/docs/${document.uuid}/forms/${section}/edit`}>{t("form.preview.edit")}</a>
            )}
          </p>
          <ClosingNote form={form} nowMs={ctx.clock.now()} />
          <FormView layout={layout} input={input} action={null} token="" maxBytes={maxAnswerBytes(c)} />
        </Page>,
      );
    } catch (error) {
      return renderErrorPage(c, error, user);
    }
  });
