/** Reads documents, workspaces and sites from the `data-` attributes of the page. */
import { findOptional } from "../../../base/client/dom.ts";

export interface DocumentRowData {
  readonly uuid: string;
  readonly name: string;
  readonly role: string;
  readonly isPinned: boolean;
  readonly workspaceId: string;
  /** The user's role on the site. */
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

/** Returns the document of the row that contains an element. */
export function readDocumentRow(element: Element): DocumentRowData {
  const row = requireAncestor(element, "[data-doc]");
  return {
    uuid: dataAttribute(row, "doc"),
    name: dataAttribute(row, "name"),
    role: dataAttribute(row, "role"),
    isPinned: "pinned" in row.dataset,
    workspaceId: dataAttribute(row, "inWorkspace"),
    siteRole: dataAttribute(row, "siteRole"),
  };
}

export function readWorkspaceSection(element: Element): WorkspaceSectionData {
  const section = requireAncestor(element, "[data-workspace]");
  return {
    id: dataAttribute(section, "workspace"),
    name: dataAttribute(section, "name"),
    role: dataAttribute(section, "role"),
    siteName: dataAttribute(requireAncestor(section, "[data-site]"), "title"),
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

/** Returns all workspaces that the user can add documents to: the sidebar has those of all sites. */
export const writableWorkspaces = (): WorkspaceSectionData[] =>
  [...document.querySelectorAll<HTMLElement>("#places [data-workspace-entry][data-may-add]")].map((entry) => ({
    id: dataAttribute(entry, "workspaceEntry"),
    name: dataAttribute(entry, "name"),
    role: dataAttribute(entry, "role"),
    siteName: dataAttribute(entry, "siteName"),
    canAdd: true,
  }));

/** Returns all sites that the user can add workspaces to. */
export const writableSites = (): Pick<SiteSectionData, "id" | "name">[] =>
  [...document.querySelectorAll<HTMLElement>("#places [data-site-entry][data-may-add]")].map((entry) => ({
    id: dataAttribute(entry, "siteEntry"),
    name: dataAttribute(entry, "name"),
  }));

/** Returns the workspace that the page is about; null on the page of all documents. */
export function currentWorkspace(): WorkspaceSectionData | null {
  const section = findOptional("#home .workspace.whole[data-may-add]");
  return section && readWorkspaceSection(section);
}

/** Whether documents have that page. */
export const hasSharingPages = (): boolean => findOptional("#home[data-has-sharing]") !== null;
