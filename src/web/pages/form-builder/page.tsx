import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { describeRowLimits, fetchRecords } from "../../../services/documents/content.ts";
import { countFormAnswers } from "../../../services/forms/forms.ts";
import { currentEventId } from "../../../services/events/events.ts";
import { Badge, Icon, Name } from "../../base/components.tsx";
import { DocumentPage } from "../../base/document-page.tsx";
import { readDocumentSettings } from "../../base/document-settings.ts";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, renderErrorPage, withDocument } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";
import { parseRendered } from "../../base/parse-rendered.ts";
import type { RecordsPage } from "../../base/table-data.ts";
import { readOwnSettings } from "./form-settings.ts";
import { type FormBuilderData, isPublished, readForm, type ReadMetadata } from "./form-data.ts";

export const formBuilderRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/forms/:section{[0-9]{1,9}}/edit", showBuilder);
};

function showBuilder(c: PageContext): Promise<Response> {
  return withDocument(c, "editors", async (visit) => {
    try {
      const section = Number(c.req.param("section"));
      const data = await readBuilder(c, visit, section);
      const answers = await countFormAnswers(c.env.call.ctx, visit.grant, section);
      return await renderPage(c, <BuilderPage visit={visit} data={data} answers={answers} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

/** @throws AppError `notFound` for a section that is no form, or of a table that the user cannot see */
async function readBuilder(
  c: PageContext,
  { grant, role, tables, prefix }: DocumentPageContext,
  section: number,
): Promise<FormBuilderData> {
  const { ctx } = c.env.call;
  // Read first: changes during the other reads are then received as events.
  const eventId = await currentEventId(ctx, grant);
  const read: ReadMetadata = async (table, filter) => {
    const args = { table, hidden: true, typed: false, filter: JSON.stringify(filter) };
    return (await parseRendered<RecordsPage>(ctx, grant, await fetchRecords(ctx, grant, args))).records;
  };
  const [form, { timezone }] = await Promise.all([readForm(read, section), readDocumentSettings(ctx, grant)]);
  if (!form || !tables.some(({ id }) => id === form.table)) throw new AppError("notFound", "Form not found");
  const { mayChangeColumns } = await describeRowLimits(ctx, grant, { table: form.table });
  return {
    docId: grant.uuid,
    path: `${prefix}/docs/${grant.uuid}`,
    eventId,
    role,
    canChangeColumns: mayChangeColumns,
    timezone,
    tables: tables.filter(({ sourceRef }) => sourceRef === 0).map(({ id, title }) => ({ id, title })),
    form,
  };
}

interface BuilderPageProps {
  readonly visit: DocumentPageContext;
  readonly data: FormBuilderData;
  /** How many answers the form has received; null if access rules hide that. */
  readonly answers: number | null;
}

const BuilderPage: FC<BuilderPageProps> = ({ visit, data, answers }) => {
  const t = useTexts();
  const { form, path } = data;
  const title = form.title || (visit.tables.find(({ id }) => id === form.table)?.title ?? form.table);
  const published = isPublished(form);
  return (
    <DocumentPage
      visit={visit}
      page="data"
      title={t("formBuilder.title", { form: title })}
      skipTo="form-canvas"
      table={null}
      view={form.view}
      bundle="form-builder"
      wide
    >
      <div class="builder" id="builder">
        <header class="builder-bar">
          <h1 id="form-name">
            <Name text={title} />
          </h1>
          <span id="form-state">
            <Badge
              text={published ? t("formBuilder.published") : t("formBuilder.draft")}
              kind={published ? "good" : "quiet"}
            />
          </span>
          <AnswerCount form={form} answers={answers} />
          <span class="grow" />
          <button type="button" class="plain small phone-only" id="open-parts">
            <Icon name="plus" />
            {t("formBuilder.add")}
          </button>
          <a class="button plain small" href={`${path}/forms/${form.section}`}>
            <Icon name="external-link" />
            <span class="text">{t("formBuilder.preview")}</span>
          </a>
          {data.role === "owners" && (
            <button type="button" class="plain small" id="copy-link" hidden={!published}>
              <Icon name="copy" />
              <span class="text">{t("formBuilder.copyLink")}</span>
            </button>
          )}
          {data.canChangeColumns && form.page > 0 && (
            <button type="button" class={published ? "plain small" : "small"} id="publish">
              {published ? t("formBuilder.unpublish") : t("formBuilder.publish")}
            </button>
          )}
        </header>
        <div id="form-problem" class="problem-place" />
        <div class="builder-parts">
          <section id="form-parts" class="form-parts" aria-label={t("formBuilder.add")} />
          <section id="form-canvas" class="form-canvas" aria-label={t("formBuilder.form")} tabindex={-1}>
            <noscript>
              <p class="note">{t("formBuilder.noScript")}</p>
            </noscript>
          </section>
        </div>
      </div>
      <script type="application/json" id="builder-data">
        {raw(JSON.stringify(data).replaceAll("<", "\\u003c"))}
      </script>
    </DocumentPage>
  );
};

/** The script replaces it after answers. A draft that never had any says nothing. */
const AnswerCount: FC<Pick<BuilderPageProps, "answers"> & Pick<FormBuilderData, "form">> = ({ form, answers }) => {
  const t = useTexts();
  const { maxAnswers } = readOwnSettings(form.options);
  const isShown = answers !== null && (answers > 0 || isPublished(form));
  return (
    <span id="form-answers" class="quiet answer-count">
      {isShown &&
        (maxAnswers === null
          ? t("formBuilder.answers", { count: answers })
          : t("formBuilder.answersOf", { count: answers, maximum: maxAnswers }))}
    </span>
  );
};
