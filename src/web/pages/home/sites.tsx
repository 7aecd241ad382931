/** Sites with their workspaces on the home page. */
import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import type { ListedWorkspace } from "../../../wire/sites/workspaces.ts";
import { Badge, EmptyState, Icon, ROLE_NAMES, TimeElement } from "../../base/components.tsx";
import { DocumentTable, MenuButton, displayName } from "../../base/document-table.tsx";
import { canAddDocuments, type SiteListing } from "../../base/site-listings.ts";

interface SiteProps {
  site: SiteListing;
  /** The site's URL. */
  address: string;
  /** Path prefix of links. */
  prefix: string;
}

export const SiteSection: FC<SiteProps> = ({ site, address, prefix }) => {
  const { org, name, role, workspaces } = site;
  const title = `site-${org.id}`;
  const canAdd = allows(role, "editors");
  const isEmpty = workspaces.every(({ docs }) => docs.length === 0);
  const welcomeWorkspace = isEmpty ? workspaces.find(canAddDocuments) : undefined;
  return (
    <section
      class="site"
      aria-labelledby={title}
      data-site={org.id}
      data-domain={org.domain}
      data-name={org.name}
      data-role={role}
      {...(org.owner && { "data-personal": "" })}
    >
      <header class="bar">
        <h2 id={title}>
          <a href={address}>{displayName(name)}</a>
        </h2>
        <Badge text={role === "members" ? "Member" : role === "guests" ? "Guest" : ROLE_NAMES[role]} />
        <span class="grow"></span>
        {canAdd && (
          <button type="button" class="plain small scripted" data-do="new-workspace">
            <Icon name="add" />
            New workspace
          </button>
        )}
        {role === "owners" && <MenuButton label={`Actions for the site ${name}`} target="site" />}
      </header>
      <PinnedDocuments workspaces={workspaces} prefix={prefix} />
      {workspaces.map((workspace) => (
        <WorkspaceSection workspace={workspace} prefix={prefix} showsWelcome={workspace === welcomeWorkspace} />
      ))}
      {workspaces.length === 0 && (
        <EmptyState title="No workspaces yet" icon="folder">
          <p>{canAdd ? "A workspace groups documents. Add one to start." : "Nothing is shared with you yet."}</p>
        </EmptyState>
      )}
    </section>
  );
};

/** The empty state for new users. */
const Welcome: FC = () => (
  <EmptyState title="Create your first document" icon="table">
    <p>
      A document contains tables. Start with an empty one, or drop a file here: a spreadsheet, CSV, JSON, or a
      downloaded document.
    </p>
    <div class="bar scripted">
      <button type="button" data-do="new-document">
        New document
      </button>
      <button type="button" class="plain" data-do="import">
        Import a file
      </button>
    </div>
  </EmptyState>
);

/** Documents pinned for all users. */
const PinnedDocuments: FC<{ workspaces: readonly ListedWorkspace[]; prefix: string }> = ({ workspaces, prefix }) => {
  const pinned = workspaces.flatMap(({ docs }) => docs.filter(({ isPinned, access }) => isPinned && access !== null));
  if (pinned.length === 0) return <></>;
  return (
    <ul class="pinned" aria-label="Pinned documents">
      {pinned.map(({ uuid, name, updatedAt }) => (
        <li data-doc-of={uuid}>
          <a href={`${prefix}/docs/${uuid}`}>
            <Icon name="pin" />
            <span class="name">{displayName(name)}</span>
            <small>
              <TimeElement at={updatedAt} />
            </small>
          </a>
        </li>
      ))}
    </ul>
  );
};

interface WorkspaceProps {
  workspace: ListedWorkspace;
  /** Path prefix of links. */
  prefix: string;
  /** The site is empty: shows a longer introduction. */
  showsWelcome: boolean;
}

const WorkspaceSection: FC<WorkspaceProps> = ({ workspace, prefix, showsWelcome }) => {
  const { id, name, access, docs } = workspace;
  const mayAdd = canAddDocuments(workspace);
  return (
    <section
      class="workspace card"
      id={`workspace-${id}`}
      aria-labelledby={`workspace-${id}-title`}
      data-workspace={id}
      data-name={name}
      data-role={access ?? ""}
      {...(mayAdd && { "data-may-add": "" })}
    >
      <header class="bar">
        <Icon name="folder" />
        <h3 id={`workspace-${id}-title`}>{displayName(name)}</h3>
        <span class="grow"></span>
        {mayAdd && !showsWelcome && (
          <>
            <button type="button" class="plain small scripted wide-only" data-do="import">
              <Icon name="upload" />
              Import
            </button>
            <button type="button" class="plain small scripted" data-do="new-document">
              <Icon name="add" />
              {/* On narrow screens the label is shortened; the plus icon completes it. */}
              <span>
                New<span class="phone-unseen"> document</span>
              </span>
            </button>
          </>
        )}
        {mayAdd && <MenuButton label={`Actions for the workspace ${displayName(name)}`} target="workspace" />}
      </header>
      {/* Imports in progress; kept when the rest is refreshed. */}
      <div class="imports" id={`imports-${id}`} data-keep aria-live="polite"></div>
      {docs.length > 0 ? (
        <DocumentTable documents={docs} prefix={prefix} label={`Documents in ${displayName(name)}`} />
      ) : showsWelcome ? (
        <Welcome />
      ) : (
        <p class="nothing quiet">
          {mayAdd
            ? "No documents yet. Create one, or drop a file here: a spreadsheet, a CSV file, or a document."
            : "No documents shared with you."}
        </p>
      )}
    </section>
  );
};
