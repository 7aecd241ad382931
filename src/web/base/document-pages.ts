import type { Role } from "../../authorization.ts";
import type { LabelKey } from "../texts/texts.ts";
import type { IconName } from "./icons.ts";
import type { HelpTopic } from "./help/help-links.ts";

/** All pages of a document, in the order of the sidebar. */
export type DocumentPageName = "data" | "sql" | "webhooks" | "sharing" | "history" | "api" | "settings";

export interface DocumentPageInfo {
  readonly name: DocumentPageName;
  readonly label: LabelKey;
  readonly icon: IconName;
  /** The path after `/docs/{docId}`. */
  readonly path: string;
  /** The minimum role for the page. */
  readonly requiredRole: Role;
  /** Only for signed-in users, not for anonymous readers of public documents. */
  readonly signedIn?: boolean;
  /** Whether its URL takes the current table. */
  readonly takesTable?: boolean;
  /** The page of the help about it. */
  readonly help: HelpTopic;
}

/** The pages of documents. Register new pages here. */
export const DOCUMENT_PAGES: readonly DocumentPageInfo[] = [
  { name: "data", label: "base.document.data", icon: "table", path: "", requiredRole: "viewers", help: "tables" },
  {
    name: "history",
    label: "base.document.history",
    icon: "history",
    path: "/history",
    requiredRole: "viewers",
    help: "history",
  },
  { name: "sql", label: "base.document.sql", icon: "database", path: "/sql", requiredRole: "viewers", help: "sql" },
  {
    name: "webhooks",
    label: "base.document.webhooks",
    icon: "webhook",
    path: "/webhooks",
    requiredRole: "owners",
    help: "webhooks",
  },
  {
    name: "api",
    label: "base.document.api",
    icon: "code",
    path: "/code",
    requiredRole: "viewers",
    takesTable: true,
    help: "api",
  },
  {
    name: "sharing",
    label: "base.document.sharing",
    icon: "users",
    path: "/sharing",
    requiredRole: "viewers",
    signedIn: true,
    help: "access",
  },
  {
    name: "settings",
    label: "base.document.settings",
    icon: "settings",
    path: "/settings",
    requiredRole: "viewers",
    help: "documentSettings",
  },
];
