/** The documentation in docs/, as the build renders it; readable without signing in and without a script. */
import { etag } from "hono/etag";
import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { Icon } from "../../base/components.tsx";
import { loadHelpSearch, readHelpContents, readHelpPage } from "../../base/help/help-content.ts";
import {
  MAX_QUERY_LENGTH,
  type HelpContents,
  type HelpHeading,
  type HelpPage,
  type HelpPageEntry,
} from "../../base/help/help-types.ts";
import type { HelpResults, TextPart } from "../../base/help/search.ts";
import { HelpSidebar } from "../../base/help/sidebar.tsx";
import { Page } from "../../base/layout.tsx";
import { type PageContext, signedInUser } from "../../base/page-context.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import { type PageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

/** More results are not looked at; fewer words find fewer. */
const MAX_RESULTS = 50;

export const helpRoutes: PageRoutes = (app) => {
  // Weak: the page is compressed afterwards.
  const revalidated = etag({ weak: true });
  app.get("/help", revalidated, showIndex).get("/help/:page", revalidated, showPage);
};

async function showIndex(c: PageContext) {
  const contents = await readHelpContents();
  const query = (c.req.query("q") ?? "").slice(0, MAX_QUERY_LENGTH).trim();
  // The header contains the user's name.
  c.header("Cache-Control", "private, no-cache");
  if (query === "") return renderPage(c, <IndexPage c={c} contents={contents} />);
  const { search } = await loadHelpSearch();
  return renderPage(c, <ResultsPage c={c} contents={contents} query={query} found={search(query, MAX_RESULTS)} />);
}

async function showPage(c: PageContext) {
  const contents = await readHelpContents();
  const name = c.req.param("page") ?? "";
  const page = await readHelpPage(name);
  if (!page) return c.notFound();
  c.header("Cache-Control", "private, no-cache");
  return renderPage(c, <DocsPage c={c} contents={contents} name={name} page={page} />);
}

interface HelpProps {
  c: PageContext;
  contents: HelpContents;
}

const IndexPage: FC<HelpProps> = ({ c, contents }) => {
  const t = useTexts();
  const reference = { title: t("reference.title"), about: t("help.reference.about"), url: "/reference" };
  return (
    <Page
      title={t("help.title")}
      bundle="help"
      user={signedInUser(c)}
      here="/help"
      sidebar={<HelpSidebar contents={contents} here="/help" />}
      name={t("help.title")}
    >
      <div class="doc" lang="en" translate="no">
        {raw(contents.introduction)}
      </div>
      {contents.chapters.map(({ title, pages }, index) => (
        <section aria-labelledby={`chapter-${index}`} lang="en" translate="no">
          <h2 id={`chapter-${index}`}>{title}</h2>
          <PageList pages={pages.map(({ name, ...page }) => ({ ...page, url: `/help/${name}` }))} />
        </section>
      ))}
      <section aria-labelledby="chapter-api">
        <h2 id="chapter-api">{t("help.reference.chapter")}</h2>
        <PageList pages={[reference]} />
      </section>
    </Page>
  );
};

const PageList: FC<{ pages: readonly (Omit<HelpPageEntry, "name"> & { url: string })[] }> = ({ pages }) => (
  <ul class="help-pages">
    {pages.map(({ title, about, url }) => (
      <li>
        <a href={url}>{title}</a>
        <span>{about}</span>
      </li>
    ))}
  </ul>
);

const ResultsPage: FC<HelpProps & { query: string; found: HelpResults }> = ({ c, contents, query, found }) => {
  const t = useTexts();
  return (
    <Page
      title={t("help.search.title", { query })}
      bundle="help"
      user={signedInUser(c)}
      here="/help"
      heading={<h1>{t("help.search.label")}</h1>}
      sidebar={<HelpSidebar contents={contents} here="" query={query} />}
      crumbs={[{ to: "/help", label: t("help.title") }]}
      name={t("help.title")}
    >
      <p class="quiet">{countText(t, found)}</p>
      <ol class="help-results" lang="en" translate="no">
        {found.results.map(({ url, title, heading, excerpt }) => (
          <li>
            <a href={url}>
              <Marked parts={title} />
              {heading.length > 0 && (
                <>
                  {" › "}
                  <Marked parts={heading} />
                </>
              )}
            </a>
            <p>
              <Marked parts={excerpt} />
            </p>
          </li>
        ))}
      </ol>
    </Page>
  );
};

function countText(t: PageTexts, { total, results }: HelpResults): string {
  if (total === 0) return t("help.search.none");
  return total > results.length
    ? t("help.search.first", { shown: results.length, total })
    : t("help.search.count", { count: total });
}

const Marked: FC<{ parts: readonly TextPart[] }> = ({ parts }) => (
  <>{parts.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</>
);

const DocsPage: FC<HelpProps & { name: string; page: HelpPage }> = ({ c, contents, name, page }) => {
  const t = useTexts();
  const { title, titleId, headings, html } = page;
  const chapter = contents.chapters.find(({ pages }) => pages.some((each) => each.name === name));
  const heading = (
    <h1 id={titleId} lang="en" translate="no">
      {title}
    </h1>
  );
  const chapterName = (
    <span lang="en" translate="no">
      {chapter?.title}
    </span>
  );
  const here = `/help/${name}`;
  return (
    <Page
      title={t("help.pageTitle", { page: title })}
      bundle="help"
      user={signedInUser(c)}
      heading={heading}
      sidebar={<HelpSidebar contents={contents} here={here} />}
      crumbs={[{ to: "/help", label: t("help.title") }, ...(chapter ? [{ label: chapterName }] : [])]}
      name={t("help.title")}
    >
      {headings.length > 1 && <OnThisPage headings={headings} />}
      {/* Rendered by the build from docs/, with HTML in the source escaped. */}
      <article class="doc" lang="en" translate="no">
        {raw(html)}
      </article>
      <Neighbours contents={contents} name={name} />
    </Page>
  );
};

/** Beside the text on wide windows, folded above it on others. */
const OnThisPage: FC<{ headings: readonly HelpHeading[] }> = ({ headings }) => {
  const t = useTexts();
  return (
    <details class="on-this-page unfolds" data-open-from="80rem">
      <summary>
        {t("help.onThisPage")}
        <Icon name="chevron-down" />
      </summary>
      <nav aria-label={t("help.onThisPage")}>
        <ul lang="en" translate="no">
          {headings.map(({ id, text, level }) => (
            <li class={`level-${level}`}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
};

const Neighbours: FC<{ contents: HelpContents; name: string }> = ({ contents, name }) => {
  const t = useTexts();
  const pages = contents.chapters.flatMap((chapter) => chapter.pages);
  const at = pages.findIndex((page) => page.name === name);
  return (
    <nav class="help-neighbours" aria-label={t("help.neighbours")}>
      <NeighbourLink label={t("help.previous")} page={pages[at - 1]} rel="prev" />
      <NeighbourLink label={t("help.next")} page={pages[at + 1]} rel="next" />
    </nav>
  );
};

const NeighbourLink: FC<{ label: string; page: HelpPageEntry | undefined; rel: string }> = ({ label, page, rel }) =>
  page ? (
    <a href={`/help/${page.name}`} rel={rel} class={rel}>
      <small>{label}</small>
      <span lang="en" translate="no">
        {page.title}
      </span>
    </a>
  ) : null;
