/** What the page says of documents, workspaces and sites, read from where it says it. */
import { maybe } from "../base/dom.ts";

export interface ShownDocument {
  readonly uuid: string;
  readonly name: string;
  readonly role: string;
  readonly isPinned: boolean;
  readonly workspaceId: string;
  /** The person's role on the site. */
  readonly siteRole: string;
}

export interface ShownWorkspace {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly siteName: string;
  readonly mayAdd: boolean;
}

export interface ShownSite {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly isPersonal: boolean;
}

const part = (element: Element, selector: string): HTMLElement => {
  const found = element.closest<HTMLElement>(selector);
  if (!found) throw new Error(`not inside of ${selector}`);
  return found;
};

const said = (element: HTMLElement, name: string): string => element.dataset[name] ?? "";

/** The document in whose row an element stands. */
export function documentOf(element: Element): ShownDocument {
  const row = part(element, "[data-doc]");
  return {
    uuid: said(row, "doc"),
    name: said(row, "name"),
    role: said(row, "role"),
    isPinned: "pinned" in row.dataset,
    workspaceId: said(part(row, "[data-workspace]"), "workspace"),
    siteRole: said(part(row, "[data-site]"), "role"),
  };
}

export function workspaceOf(element: Element): ShownWorkspace {
  const section = part(element, "[data-workspace]");
  return {
    id: said(section, "workspace"),
    name: said(section, "name"),
    role: said(section, "role"),
    siteName: part(section, "[data-site]").querySelector("h2")?.textContent ?? "",
    mayAdd: "mayAdd" in section.dataset,
  };
}

export function siteOf(element: Element): ShownSite {
  const section = part(element, "[data-site]");
  return {
    id: said(section, "site"),
    name: said(section, "name"),
    domain: said(section, "domain"),
    isPersonal: "personal" in section.dataset,
  };
}

/** Every workspace of the page that documents can be added to. */
export const writableWorkspaces = (): ShownWorkspace[] =>
  [...document.querySelectorAll("#home [data-workspace][data-may-add]")].map(workspaceOf);

/** Documents' pages of that kind exist. */
export const hasSharing = (): boolean => maybe("#home[data-has-sharing]") !== null;
