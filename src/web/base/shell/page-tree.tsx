/** The pages of a document in its sidebar, as a tree. */
import type { FC } from "hono/jsx";
import { Icon, Name } from "../components.tsx";
import { useTexts } from "../page-texts.tsx";
import { type PageItem, type PageNode, pageTree } from "../views/page-list.ts";
import { SidebarEntry, SidebarGroup } from "./sidebar.tsx";

interface PagesGroupProps {
  /** The document's path. */
  url: string;
  docId: string;
  pages: readonly PageItem[];
  /** The view of the current page. */
  view: number | undefined;
  mayEdit: boolean;
}

/** Documents without pages show the group to people who can add one. */
export const PagesGroup: FC<PagesGroupProps> = ({ url, docId, pages, view, mayEdit }) => {
  const t = useTexts();
  if (pages.length === 0 && !mayEdit) return <></>;
  const add = t("base.document.pageList.add");
  return (
    <SidebarGroup
      id="pages"
      label={t("base.document.pageList")}
      isTitled
      data={{ "data-document": docId, ...(mayEdit && { "data-may-edit": "" }) }}
      add={
        mayEdit && (
          <button
            type="button"
            class="bare add scripted"
            data-do="new-page"
            tabindex={-1}
            aria-label={add}
            title={add}
            aria-haspopup="dialog"
          >
            <Icon name="plus" />
          </button>
        )
      }
    >
      {pageTree(pages).map((page) => (
        <PageEntry page={page} url={url} view={view} mayEdit={mayEdit} />
      ))}
    </SidebarGroup>
  );
};

interface PageEntryProps extends Omit<PagesGroupProps, "pages" | "docId"> {
  page: PageNode;
}

const PageEntry: FC<PageEntryProps> = ({ page, ...rest }) => {
  const t = useTexts();
  const { url, view, mayEdit } = rest;
  const { name, children } = page;
  const hasCurrent = (nodes: readonly PageNode[]): boolean =>
    nodes.some((node) => node.view === view || hasCurrent(node.children));
  return (
    <SidebarEntry
      to={`${url}/pages/${page.view}`}
      icon="file-text"
      isCurrent={page.view === view}
      label={<Name text={name} />}
      data={{
        id: `page-${page.ref}`,
        "data-page": String(page.ref),
        "data-view": String(page.view),
        "data-title": name,
        "data-indentation": String(page.indentation),
      }}
      menu={
        mayEdit && (
          <button
            type="button"
            class="bare scripted"
            tabindex={-1}
            data-menu="page"
            aria-label={t("base.document.pageList.menu", { page: name })}
            aria-haspopup="menu"
          >
            <Icon name="ellipsis" />
          </button>
        )
      }
      {...(children.length > 0 && { isFolded: page.isFolded && !hasCurrent(children) })}
    >
      {children.length > 0 && children.map((child) => <PageEntry page={child} {...rest} />)}
    </SidebarEntry>
  );
};
