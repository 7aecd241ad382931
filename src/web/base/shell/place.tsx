/** Where a page is, in the top bar. */
import type { Child, FC } from "hono/jsx";
import { Icon } from "../components.tsx";
import { useTexts } from "../page-texts.tsx";

export interface Crumb {
  /** Absent if there is no page about it. */
  readonly to?: string;
  readonly label: Child;
}

/** What the page belongs to. Phones show the page's name instead, which opens the sidebar. */
export const Place: FC<{ crumbs: readonly Crumb[]; here: Child }> = ({ crumbs, here }) => (
  <>
    {crumbs.length > 0 && (
      <nav class="crumbs" aria-label={useTexts()("base.place")}>
        {crumbs.map(({ to, label }) => (to === undefined ? <span>{label}</span> : <a href={to}>{label}</a>))}
      </nav>
    )}
    <HereButton>{here}</HereButton>
  </>
);

export const HereButton: FC<{ children?: Child }> = ({ children }) => (
  <button type="button" class="bare here" popovertarget="sidebar">
    <span class="name">{children}</span>
    <Icon name="chevron-down" />
  </button>
);
