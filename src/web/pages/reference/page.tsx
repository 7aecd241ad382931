import type { FC } from "hono/jsx";
import { publicUrl, signedInUser, type PageContext } from "../../base/page-context.ts";
import { Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { parseOpenApi, type Api, type Group } from "./openapi.ts";
import { OperationCard, Route } from "./operation.tsx";

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
    overview(c: PageContext) {
      c.header("Cache-Control", "private, no-cache");
      return c.html(<Overview c={c} groups={api().groups} />);
    },
    group(c: PageContext) {
      const group = api().groups.find(({ slug }) => slug === c.req.param("group"));
      if (!group) return c.notFound();
      c.header("Cache-Control", "private, no-cache");
      return c.html(<GroupPage c={c} api={api()} group={group} />);
    },
  };
}

const Overview: FC<{ c: PageContext; groups: readonly Group[] }> = ({ c, groups }) => (
  <Page
    title="API reference"
    bundle="reference"
    user={signedInUser(c)}
    here="/reference"
    aside={<Groups groups={groups} />}
  >
    <p>
      Programs call the API with a key. Create one on your <a href="/profile">profile</a>:
    </p>
    <pre data-example>{`curl -H "Authorization: Bearer $KEY" ${publicUrl(c)}/api/orgs`}</pre>
    <KeyPanel c={c} />
    <p>
      A path below <code>/o/&lt;domain&gt;</code>, such as <code>/o/team/api/orgs/current</code>, addresses the team
      site of that domain; without it, your personal site. Every error is <code>{'{ "error": "<sentence>" }'}</code>,
      and every response has <code>X-Request-Id</code>, which is also in the server's log. The OpenAPI description is{" "}
      <a href="/openapi.json">/openapi.json</a>.
    </p>
    {groups.map(({ name, slug, operations }) => (
      <section class="card" aria-labelledby={`group-${slug}`}>
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

const GroupPage: FC<{ c: PageContext; api: Api; group: Group }> = ({ c, api, group }) => (
  <Page
    title={capitalised(group.name)}
    bundle="reference"
    user={signedInUser(c)}
    aside={<Groups groups={api.groups} open={group} />}
  >
    <KeyPanel c={c} />
    {group.operations.map((operation) => (
      <OperationCard operation={operation} components={api.components} address={publicUrl(c)} />
    ))}
  </Page>
);

/** Where the user's key can be inserted into the examples. */
const KeyPanel: FC<{ c: PageContext }> = ({ c }) => (
  <div id="key-panel" data-signed-in={signedInUser(c) ? "" : undefined} />
);

/** All groups, with the operations of the current one. */
const Groups: FC<{ groups: readonly Group[]; open?: Group }> = ({ groups, open }) => (
  <nav class="aside" aria-label="API reference">
    <ul>
      <li>
        <a href="/reference" {...(!open && { "aria-current": "page" })}>
          Overview
        </a>
      </li>
      {groups.map((group) => (
        <li>
          <a href={`/reference/${group.slug}`} {...(group === open && { "aria-current": "page" })}>
            {capitalised(group.name)}
          </a>
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
  </nav>
);

const capitalised = (text: string): string => (text === "sql" ? "SQL" : text.charAt(0).toUpperCase() + text.slice(1));
