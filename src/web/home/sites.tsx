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
        <WorkspaceSection workspace={workspace} prefix={prefix} />
      ))}
      {workspaces.length === 0 && (
        <Empty title="No workspaces here yet" icon="folder">
          <p>{mayAdd ? "Make one: it holds documents." : "Nothing here is shared with you yet."}</p>
        </Empty>
      )}
    </section>
  );
};

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

const WorkspaceSection: FC<{ workspace: ListedWorkspace; prefix: string }> = ({ workspace, prefix }) => {
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
        {mayAdd && (
          <>
            <button type="button" class="plain small scripted wide-only" data-do="import">
              <Icon name="upload" />
              Import
            </button>
            <button type="button" class="plain small scripted" data-do="new-document">
              <Icon name="add" />
              New document
            </button>
          </>
        )}
        {mayAdd && <MenuButton label={`Actions for the workspace ${shownName(name)}`} of="workspace" />}
      </header>
      {/* What is being imported; it stays while the rest is brought up to date. */}
      <div class="imports" id={`imports-${id}`} data-keep aria-live="polite"></div>
      {docs.length > 0 ? (
        <DocumentTable documents={docs} prefix={prefix} label={`Documents in ${shownName(name)}`} />
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
