import type { FC } from "hono/jsx";
import { publicUrl, signedInUser, type PageContext } from "../../base/page-context.ts";
import { readHelpContents } from "../../base/help/help-content.ts";
import { HELP_LINKS } from "../../base/help/help-links.ts";
import type { HelpContents } from "../../base/help/help-types.ts";
import { HelpSidebar, SidebarLink } from "../../base/help/sidebar.tsx";
import { KeyPanel } from "../../base/key-panel.tsx";
import { Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { parseOpenApi, type Api, type Group } from "./openapi.ts";
import { OperationCard, Route } from "./operation.tsx";
import { renderPage, useTexts } from "../../base/page-texts.tsx";

export const referenceRoutes: PageRoutes = (app, { describeApi }) => {
  const reference = createReference(describeApi);
  app.get("/reference", reference.overview);
  app.get("/reference/:group", reference.group);
};

/**
 * The pages of the API reference: an overview of all operations, and a page for each group. They show the same
 * description as `/openapi.json`, rendered on the server: viewers need half a megabyte of script and inline styles, and
 * this one is readable on a phone.
 */
function createReference(describeApi: () => object) {
  let read: Api | undefined;
  const api = () => (read ??= parseOpenApi(describeApi()));
  return {
    async overview(c: PageContext) {
      c.header("Cache-Control", "private, no-cache");
      return renderPage(c, <Overview c={c} groups={api().groups} contents={await readHelpContents()} />);
    },
    async group(c: PageContext) {
      const group = api().groups.find(({ slug }) => slug === c.req.param("group"));
      if (!group) return c.notFound();
      c.header("Cache-Control", "private, no-cache");
      return renderPage(c, <GroupPage c={c} api={api()} group={group} contents={await readHelpContents()} />);
    },
  };
}

interface ReferenceProps {
  c: PageContext;
  contents: HelpContents;
}

const Overview: FC<ReferenceProps & { groups: readonly Group[] }> = ({ c, contents, groups }) => {
  const t = useTexts();
  return (
    <Page
      title={t("reference.title")}
      bundle="reference"
      user={signedInUser(c)}
      here="/reference"
      sidebar={<ReferenceSidebar contents={contents} groups={groups} />}
    >
      <p>
        {t.rich("reference.key", {
          link: (content) => <a href="/profile">{content}</a>,
          guide: (content) => <a href={HELP_LINKS.api}>{content}</a>,
        })}
      </p>
      <pre data-example translate="no">{`curl -H "Authorization: Bearer $KEY" ${publicUrl(c)}/api/orgs`}</pre>
      <KeyPanel isSignedIn={signedInUser(c) !== null} />
      <p>
        {t.rich("reference.about", {
          site: <code translate="no">/o/&lt;domain&gt;</code>,
          example: <code translate="no">/o/team/api/orgs/current</code>,
          error: <code translate="no">{'{ "error": "<sentence>" }'}</code>,
          header: <code translate="no">X-Request-Id</code>,
          openapi: (
            <a href="/openapi.json" translate="no">
              /openapi.json
            </a>
          ),
        })}
      </p>
      {groups.map(({ name, slug, operations }) => (
        <section class="card" lang="en" translate="no" aria-labelledby={`group-${slug}`}>
          <h2 id={`group-${slug}`}>
            <a href={`/reference/${slug}`}>{capitalised(name)}</a>
          </h2>
          <ul class="operations">
            {operations.map((operation) => (
              <li>
                <a href={`/reference/${slug}#${operation.id}`}>{operation.summary}</a>
                <span class="route">
                  <Route {...operation} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Page>
  );
};

const GroupPage: FC<ReferenceProps & { api: Api; group: Group }> = ({ c, contents, api, group }) => {
  const t = useTexts();
  return (
    <Page
      title={t("reference.groupTitle", { group: capitalised(group.name) })}
      heading={
        <h1 class="in-bar" lang="en" translate="no">
          {capitalised(group.name)}
        </h1>
      }
      bundle="reference"
      user={signedInUser(c)}
      sidebar={<ReferenceSidebar contents={contents} groups={api.groups} open={group} />}
      crumbs={[{ to: "/reference", label: t("reference.title") }]}
      name={
        <span lang="en" translate="no">
          {capitalised(group.name)}
        </span>
      }
    >
      <KeyPanel isSignedIn={signedInUser(c) !== null} />
      {group.operations.map((operation) => (
        <OperationCard operation={operation} components={api.components} address={publicUrl(c)} />
      ))}
    </Page>
  );
};

interface ReferenceSidebarProps {
  contents: HelpContents;
  groups: readonly Group[];
  open?: Group;
}

/** All groups below the chapters of the help, with the operations of the current one. */
const ReferenceSidebar: FC<ReferenceSidebarProps> = ({ contents, groups, open }) => {
  const here = open ? `/reference/${open.slug}` : "/reference";
  return (
    <HelpSidebar contents={contents} here={here}>
      <ul>
        {groups.map((group) => (
          <li lang="en" translate="no">
            <SidebarLink to={`/reference/${group.slug}`} here={here}>
              {capitalised(group.name)}
            </SidebarLink>
            {group === open && (
              <ul>
                {group.operations.map(({ id, summary }) => (
                  <li>
                    <a href={`#${id}`}>{summary}</a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </HelpSidebar>
  );
};

const capitalised = (text: string): string => (text === "sql" ? "SQL" : text.charAt(0).toUpperCase() + text.slice(1));
