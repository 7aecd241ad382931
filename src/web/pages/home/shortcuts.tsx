/** Pinned and recent documents, above the sites of the home page. */
import type { Child, FC } from "hono/jsx";
import type { RecentDocument } from "../../../wire/documents/search.ts";
import { DocumentTable, type DocumentTableProps, type ListedDocument } from "../../base/document-table.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import type { SiteListing } from "../../base/site-listings.ts";

interface ShortcutsProps {
  sites: readonly SiteListing[];
  recent: readonly RecentDocument[];
  /** Path prefix of links. */
  prefix: string;
  /** A search shows the sites only. */
  isHidden: boolean;
}

/** Recent documents that are shown at first. */
const SHOWN_RECENT = 5;

export const Shortcuts: FC<ShortcutsProps> = ({ sites, recent, prefix, isHidden }) => {
  const t = useTexts();
  const pinned = pinnedDocuments(sites);
  const opened = recent.map((document) => recentRow(sites, document));
  return (
    <>
      {pinned.length > 0 && (
        <Shortcut id="pinned" title={t("home.pinned")} documents={pinned} prefix={prefix} isHidden={isHidden} />
      )}
      {opened.length > 0 && (
        <Shortcut
          id="recent"
          title={t("home.recent")}
          documents={opened}
          prefix={prefix}
          isHidden={isHidden}
          time="opened"
          isSortable={false}
          shownRows={SHOWN_RECENT}
        >
          {opened.length > SHOWN_RECENT && (
            <button type="button" class="plain small scripted" data-do="all-recent">
              {t("home.recent.all")}
            </button>
          )}
        </Shortcut>
      )}
    </>
  );
};

type ShortcutProps = Omit<DocumentTableProps, "label" | "shows" | "idPrefix"> & {
  id: string;
  title: string;
  isHidden: boolean;
  children?: Child;
};

const Shortcut: FC<ShortcutProps> = ({ id, title, isHidden, children, ...table }) => (
  <section class="shortcuts card" id={id} aria-labelledby={`${id}-title`} hidden={isHidden}>
    <h2 id={`${id}-title`}>{title}</h2>
    <DocumentTable {...table} label={title} shows="workspace" idPrefix={`${id}-`} />
    {children}
  </section>
);

/** Returns the documents that are pinned for all users of their sites, the most recently changed first. */
const pinnedDocuments = (sites: readonly SiteListing[]): ListedDocument[] =>
  sites
    .flatMap(({ role, workspaces }) =>
      workspaces.flatMap(({ id, name, docs }) =>
        docs
          .filter(({ isPinned, access }) => isPinned && access !== null)
          .map((document) => ({ ...document, workspace: { id, name }, siteRole: role })),
      ),
    )
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));

/** Returns a recent document with the role on its site, on which a public document gives none. */
const recentRow = (sites: readonly SiteListing[], { site, ...document }: RecentDocument): ListedDocument => ({
  ...document,
  siteRole: sites.find(({ org }) => org.id === site.id)?.role ?? "guests",
});
