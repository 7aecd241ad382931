/** What the page says of documents, workspaces and sites, read from where it says it. */
import { findOptional } from "../../../base/client/dom.ts";

export interface DocumentRowData {
  readonly uuid: string;
  readonly name: string;
  readonly role: string;
  readonly isPinned: boolean;
  readonly workspaceId: string;
  /** The person's role on the site. */
  readonly siteRole: string;
}

export interface WorkspaceSectionData {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly siteName: string;
  readonly canAdd: boolean;
}

export interface SiteSectionData {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly isPersonal: boolean;
}

const requireAncestor = (element: Element, selector: string): HTMLElement => {
  const found = element.closest<HTMLElement>(selector);
  if (!found) throw new Error(`not inside of ${selector}`);
  return found;
};

const dataAttribute = (element: HTMLElement, name: string): string => element.dataset[name] ?? "";

/** The document in whose row an element stands. */
export function readDocumentRow(element: Element): DocumentRowData {
  const row = requireAncestor(element, "[data-doc]");
  return {
    uuid: dataAttribute(row, "doc"),
    name: dataAttribute(row, "name"),
    role: dataAttribute(row, "role"),
    isPinned: "pinned" in row.dataset,
    workspaceId: dataAttribute(requireAncestor(row, "[data-workspace]"), "workspace"),
    siteRole: dataAttribute(requireAncestor(row, "[data-site]"), "role"),
  };
}

export function readWorkspaceSection(element: Element): WorkspaceSectionData {
  const section = requireAncestor(element, "[data-workspace]");
  return {
    id: dataAttribute(section, "workspace"),
    name: dataAttribute(section, "name"),
    role: dataAttribute(section, "role"),
    siteName: requireAncestor(section, "[data-site]").querySelector("h2")?.textContent ?? "",
    canAdd: "mayAdd" in section.dataset,
  };
}

export function readSiteSection(element: Element): SiteSectionData {
  const section = requireAncestor(element, "[data-site]");
  return {
    id: dataAttribute(section, "site"),
    name: dataAttribute(section, "name"),
    domain: dataAttribute(section, "domain"),
    isPersonal: "personal" in section.dataset,
  };
}

/** Every workspace of the page that documents can be added to. */
export const writableWorkspaces = (): WorkspaceSectionData[] =>
  [...document.querySelectorAll("#home [data-workspace][data-may-add]")].map(readWorkspaceSection);

/** Documents' pages of that kind exist. */
export const hasSharingPages = (): boolean => findOptional("#home[data-has-sharing]") !== null;
