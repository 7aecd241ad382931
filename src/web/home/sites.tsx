/** Sites with their workspaces, as the home page lists them. */
import type { FC } from "hono/jsx";
import { allows } from "../../access.ts";
import type { ListedWorkspace } from "../../wire/workspaces.ts";
import { Badge, Empty, Icon, ROLE_NAMES, Time } from "../parts.tsx";
import { DocumentTable, MenuButton, shownName } from "./documents.tsx";
import { mayAddTo, type ShownSite } from "./listing.ts";

interface SiteProps {
  site: ShownSite;
  /** Its own address. */
  address: string;
  /** Before the paths of links. */
  prefix: string;
}

export const SiteSection: FC<SiteProps> = ({ site, address, prefix }) => {
  const { org, name, role, workspaces } = site;
  const title = `site-${org.id}`;
  const mayAdd = allows(role, "editors");
  const isEmpty = workspaces.every(({ docs }) => docs.length === 0);
  const welcoming = isEmpty ? workspaces.find(mayAddTo) : undefined;
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
          <a href={address}>{shownName(name)}</a>
        </h2>
        <Badge text={role === "members" ? "Member" : role === "guests" ? "Guest" : ROLE_NAMES[role]} />
        <span class="grow"></span>
        {mayAdd && (
          <button type="button" class="plain small scripted" data-do="new-workspace">
            <Icon name="add" />
            New workspace
          </button>
        )}
        {role === "owners" && <MenuButton label={`Actions for the site ${name}`} of="site" />}
      </header>
      <Pinned workspaces={workspaces} prefix={prefix} />
      {workspaces.map((workspace) => (
        <WorkspaceSection workspace={workspace} prefix={prefix} welcomes={workspace === welcoming} />
      ))}
      {workspaces.length === 0 && (
        <Empty title="No workspaces here yet" icon="folder">
          <p>{mayAdd ? "Make one: it holds documents." : "Nothing here is shared with you yet."}</p>
        </Empty>
      )}
    </section>
  );
};

/** For those who begin here. */
const Welcome: FC = () => (
  <Empty title="Make the first document" icon="table">
    <p>
      A document holds tables. Begin with an empty one, or drop a file here: a spreadsheet, CSV, JSON, or a document
      that was downloaded before.
    </p>
    <div class="bar scripted">
      <button type="button" data-do="new-document">
        New document
      </button>
      <button type="button" class="plain" data-do="import">
        Import a file
      </button>
    </div>
  </Empty>
);

/** What somebody has put at the top for all. */
const Pinned: FC<{ workspaces: readonly ListedWorkspace[]; prefix: string }> = ({ workspaces, prefix }) => {
  const pinned = workspaces.flatMap(({ docs }) => docs.filter(({ isPinned, access }) => isPinned && access !== null));
  if (pinned.length === 0) return <></>;
  return (
    <ul class="pinned" aria-label="Pinned documents">
      {pinned.map(({ uuid, name, updatedAt }) => (
        <li data-doc-of={uuid}>
          <a href={`${prefix}/docs/${uuid}`}>
            <Icon name="pin" />
            <span class="name">{shownName(name)}</span>
            <small>
              <Time at={updatedAt} />
            </small>
          </a>
        </li>
      ))}
    </ul>
  );
};

interface WorkspaceProps {
  workspace: ListedWorkspace;
  /** Before the paths of links. */
  prefix: string;
  /** Nothing is in the site yet: says at length how to begin. */
  welcomes: boolean;
}

const WorkspaceSection: FC<WorkspaceProps> = ({ workspace, prefix, welcomes }) => {
  const { id, name, access, docs } = workspace;
  const mayAdd = mayAddTo(workspace);
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
        <h3 id={`workspace-${id}-title`}>{shownName(name)}</h3>
        <span class="grow"></span>
        {mayAdd && !welcomes && (
          <>
            <button type="button" class="plain small scripted wide-only" data-do="import">
              <Icon name="upload" />
              Import
            </button>
            <button type="button" class="plain small scripted" data-do="new-document">
              <Icon name="add" />
              {/* Where it is narrow, the plus says what is new. */}
              <span>
                New<span class="phone-unseen"> document</span>
              </span>
            </button>
          </>
        )}
        {mayAdd && <MenuButton label={`Actions for the workspace ${shownName(name)}`} of="workspace" />}
      </header>
      {/* What is being imported; it stays while the rest is brought up to date. */}
      <div class="imports" id={`imports-${id}`} data-keep aria-live="polite"></div>
      {docs.length > 0 ? (
        <DocumentTable documents={docs} prefix={prefix} label={`Documents in ${shownName(name)}`} />
      ) : welcomes ? (
        <Welcome />
      ) : (
        <p class="nothing quiet">
          {mayAdd
            ? "No documents yet. Make one, or drop a file here: a spreadsheet, a CSV file, or a document."
            : "No documents that you can see."}
        </p>
      )}
    </section>
  );
};
