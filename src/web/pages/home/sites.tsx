/** Sites with their workspaces on the home page. */
import type { Child, FC } from "hono/jsx";
import { allows, type EffectiveRole } from "../../../authorization.ts";
import type { ListedWorkspace } from "../../../wire/sites/workspaces.ts";
import { Badge, EmptyState, Icon, ROLE_NAMES } from "../../base/components.tsx";
import { DocumentTable, MenuButton, DisplayName, displayName } from "../../base/document-table.tsx";
import { formatListChoice, LIST_COOKIE, type ListChoice, parseListChoice } from "../../base/list-choice.ts";
import { type PageContext, readChoice } from "../../base/page-context.ts";
import { DOCUMENT_PAGES } from "../../base/document-pages.ts";
import { HELP_LINKS } from "../../base/help/help-links.ts";
import { useTexts } from "../../base/page-texts.tsx";
import { workspacePath } from "../../base/shell/home-sidebar.tsx";
import { TEMPLATE_NAMES, TEMPLATE_TEXTS } from "./templates.ts";
import { canAddDocuments, type SiteListing } from "../../base/site-listings.ts";

const SITE_ROLE_NAMES = { ...ROLE_NAMES, members: "home.role.members", guests: "home.role.guests" } as const;

const hasSharing = DOCUMENT_PAGES.some(({ name }) => name === "sharing");

/** Returns the attributes of the list for the page's script. */
export const homeData = ({ maxUpload }: { readonly maxUpload: number }, choice: ListChoice) => ({
  "data-list": formatListChoice(choice),
  "data-view": choice.isGrid ? "grid" : "list",
  "data-max-upload": maxUpload,
  ...(hasSharing && { "data-has-sharing": "" }),
});

/** Returns how the visitor left the lists. */
export const readListChoice = (c: PageContext): ListChoice => parseListChoice(readChoice(c, LIST_COOKIE));

/** Returns the attributes of a site for the page's script. */
export const siteData = ({ org, name, role }: Pick<SiteListing, "org" | "name" | "role">) => ({
  "data-site": org.id,
  "data-domain": org.domain,
  "data-name": org.name,
  "data-title": name,
  "data-role": role,
  ...(org.owner && { "data-personal": "" }),
});

interface SiteProps {
  site: SiteListing;
  /** The site's URL. */
  address: string;
  /** Path prefix of links. */
  prefix: string;
  isOneOfSeveral: boolean;
}

export const SiteSection: FC<SiteProps> = ({ site, address, prefix, isOneOfSeveral }) => {
  const t = useTexts();
  const { org, name, role, workspaces } = site;
  const title = `site-${org.id}`;
  const canAdd = allows(role, "editors");
  const isEmpty = workspaces.every(({ docs }) => docs.length === 0);
  const welcomeWorkspace = isEmpty ? workspaces.find(canAddDocuments) : undefined;
  return (
    <section class="site" aria-labelledby={title} {...siteData(site)}>
      <header class="bar">
        <h2 id={title}>
          <a href={address}>
            <DisplayName name={name} />
          </a>
        </h2>
        <Badge text={t(SITE_ROLE_NAMES[role])} />
        <span class="grow"></span>
        {canAdd && (
          <button type="button" class="plain small scripted" data-do="new-workspace">
            <Icon name="plus" />
            {t("home.newWorkspace")}
          </button>
        )}
        {role === "owners" && (
          <MenuButton label={t("home.siteActions", { name: displayName(t, name) })} target="site" />
        )}
      </header>
      {workspaces.map((workspace) => (
        <WorkspaceSection
          workspace={workspace}
          siteRole={role}
          prefix={prefix}
          showsWelcome={workspace === welcomeWorkspace}
          {...(isOneOfSeveral && { siteTitle: title })}
        />
      ))}
      {workspaces.length === 0 && (
        <EmptyState title={t("home.noWorkspaces.title")} icon="folder">
          <p>{t(canAdd ? "home.noWorkspaces.add" : "home.noWorkspaces.text")}</p>
        </EmptyState>
      )}
    </section>
  );
};

/** The empty state for new users. */
const Welcome: FC = () => {
  const t = useTexts();
  return (
    <EmptyState title={t("home.welcome.title")} icon="table">
      <p>{t("home.welcome.text")}</p>
      <div class="bar scripted">
        <button type="button" class="plain" data-do="new-document">
          {t("home.newDocument")}
        </button>
        <button type="button" class="plain" data-do="import">
          {t("home.welcome.import")}
        </button>
      </div>
      <div class="bar scripted">
        {t("home.start.templates")}
        {TEMPLATE_NAMES.map((name) => (
          <button type="button" class="plain small" data-do="new-document" data-template={name}>
            {t(TEMPLATE_TEXTS[name].title)}
          </button>
        ))}
      </div>
      <p>
        <a href={HELP_LINKS.start}>{t("help.gettingStarted")}</a>
      </p>
    </EmptyState>
  );
};

interface WorkspaceProps {
  workspace: Pick<ListedWorkspace, "id" | "name" | "access" | "docs">;
  /** The user's role on its site. */
  siteRole: EffectiveRole;
  /** Path prefix of links. */
  prefix: string;
  /** The site is empty: shows a longer introduction. */
  showsWelcome: boolean;
  /** The id of the site's title: workspaces of several sites often have the same name. */
  siteTitle?: string;
  /** The page is about this workspace only. */
  isWhole?: boolean;
  /** Replaces the buttons that add documents. */
  commands?: Child;
}

export const WorkspaceSection: FC<WorkspaceProps> = ({
  workspace,
  siteRole,
  prefix,
  showsWelcome,
  siteTitle,
  isWhole = false,
  commands,
}) => {
  const t = useTexts();
  const { id, name, access, docs } = workspace;
  const mayAdd = canAddDocuments(workspace);
  return (
    <section
      class={isWhole ? "workspace whole" : "workspace card"}
      id={`workspace-${id}`}
      aria-labelledby={[`workspace-${id}-title`, siteTitle].filter(Boolean).join(" ")}
      data-workspace={id}
      data-name={name}
      data-role={access ?? ""}
      {...(mayAdd && { "data-may-add": "" })}
    >
      <header class="bar">
        <Icon name="folder" />
        {isWhole ? (
          <h1 class="in-bar" id={`workspace-${id}-title`}>
            <DisplayName name={name} />
          </h1>
        ) : (
          <h3 id={`workspace-${id}-title`}>
            <a href={`${prefix}${workspacePath(id)}`}>
              <DisplayName name={name} />
            </a>
          </h3>
        )}
        <span class="grow"></span>
        {commands}
        {mayAdd && !showsWelcome && commands === undefined && (
          <>
            <button type="button" class="plain small scripted wide-only" data-do="import">
              <Icon name="upload" />
              {t("home.import")}
            </button>
            <button type="button" class="plain small scripted" data-do="new-document">
              <Icon name="plus" />
              {/* On narrow screens the label is shortened; the plus icon completes it. */}
              <span>
                {t.rich("home.newDocumentButton", {
                  wide: (content) => <span class="phone-unseen">{content}</span>,
                })}
              </span>
            </button>
          </>
        )}
        {mayAdd && <MenuButton label={t("home.workspaceActions", { name: displayName(t, name) })} target="workspace" />}
      </header>
      {/* Imports in progress; kept when the rest is refreshed. */}
      <div class="imports" id={`imports-${id}`} data-keep></div>
      {docs.length > 0 ? (
        <DocumentTable
          documents={docs.map((document) => ({ ...document, workspace: { id, name }, siteRole }))}
          prefix={prefix}
          label={t("home.documentsIn", { name: displayName(t, name) })}
        />
      ) : showsWelcome ? (
        <Welcome />
      ) : (
        <p class="nothing quiet">{t(mayAdd ? "home.noDocuments.add" : "home.noDocuments.text")}</p>
      )}
    </section>
  );
};
