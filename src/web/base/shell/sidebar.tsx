/** The sidebar of signed-in pages. On narrow windows it is a drawer, which the browser opens without a script. */
import type { Child, FC } from "hono/jsx";
import { assetPath } from "../../assets.ts";
import { Icon } from "../components.tsx";
import type { IconName } from "../icons.ts";
import { useTexts } from "../page-texts.tsx";

/** The product's name, which links to the documents. */
export const Brand: FC = () => (
  <a class="brand" href="/" translate="no">
    <img src={assetPath("icon.svg")} alt="" width="24" height="24" />
    Quern
  </a>
);

export const Sidebar: FC<{ children?: Child }> = ({ children }) => {
  const t = useTexts();
  return (
    <aside id="sidebar" class="sidebar" aria-label={t("base.sidebar")} popover="auto">
      <div class="sidebar-head">
        <Brand />
        <button
          type="button"
          class="bare scripted"
          data-do="close-sidebar"
          aria-label={t("base.sidebar.close")}
          title={t("base.sidebar.close")}
        >
          <Icon name="panel-left" />
        </button>
      </div>
      <div class="sidebar-body">{children}</div>
    </aside>
  );
};

/** Opens the drawer; on wide windows, the sidebar that was closed. */
export const SidebarButton: FC = () => {
  const t = useTexts();
  return (
    <button
      type="button"
      class="bare sidebar-button"
      popovertarget="sidebar"
      aria-label={t("base.sidebar.open")}
      title={t("base.sidebar.open")}
    >
      <Icon name="menu" />
    </button>
  );
};

interface GroupProps {
  /** The accessible name; also shown, unless the group is the only one. */
  label: string;
  isTitled?: boolean;
  /** Given for groups that can be folded: whether the list is hidden. Works without a script. */
  isFolded?: boolean;
  id?: string;
  /** For the page's script. */
  data?: Record<`data-${string}`, string>;
  /** The button that adds an entry, beside the title. */
  add?: Child;
  children?: Child;
}

/** A list of links: the page's script makes it a tree with one tab stop. */
export const SidebarGroup: FC<GroupProps> = ({ label, isTitled = false, isFolded, id, data = {}, add, children }) => (
  <nav class="sidebar-group" aria-label={label} {...(id !== undefined && { id })} {...data}>
    {add}
    {isFolded === undefined ? (
      <>
        {isTitled && (
          <p class="sidebar-title" aria-hidden="true">
            {label}
          </p>
        )}
        <ul class="tree">{children}</ul>
      </>
    ) : (
      <details open={!isFolded}>
        <summary class="sidebar-title">
          <Icon name="chevron-down" />
          {label}
        </summary>
        <ul class="tree">{children}</ul>
      </details>
    )}
  </nav>
);

interface EntryProps {
  to: string;
  icon: IconName;
  isCurrent: boolean;
  label: Child;
  /** For the page's script. */
  data?: Record<`data-${string}`, string> & { id?: string };
  /** Whether the entries below are hidden; given for entries that pointers can fold too. */
  isFolded?: boolean;
  /** The button of its menu. */
  menu?: Child;
  /** Entries below this one: a list in an item of its own, since the text of a tree's item is its name. */
  children?: Child;
}

export const SidebarEntry: FC<EntryProps> = ({ to, icon, isCurrent, label, data = {}, isFolded, menu, children }) => (
  <>
    <li {...data} {...(isFolded === true && { "data-folded": "" })}>
      <div class="entry">
        <a href={to} {...(isCurrent && { "aria-current": "page" })}>
          <Icon name={icon} />
          <span class="name">{label}</span>
        </a>
        {/* For pointers: keys fold the entry itself. */}
        {isFolded !== undefined && (
          <button type="button" class="bare fold scripted" data-fold tabindex={-1} aria-hidden="true">
            <Icon name="chevron-down" />
          </button>
        )}
        {menu}
      </div>
    </li>
    {children && (
      <li class="below">
        <ul>{children}</ul>
      </li>
    )}
  </>
);
