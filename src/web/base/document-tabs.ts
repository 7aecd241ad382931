import type { Role } from "../../authorization.ts";
import type { LabelKey } from "../texts/texts.ts";
import type { HelpTopic } from "./help/help-links.ts";

/** All pages of a document, in the order of the tabs. */
export type DocumentTabName = "data" | "sql" | "webhooks" | "sharing" | "history" | "api";

export interface DocumentTab {
  readonly name: DocumentTabName;
  readonly label: LabelKey;
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
export const DOCUMENT_TABS: readonly DocumentTab[] = [
  { name: "data", label: "base.document.data", path: "", requiredRole: "viewers", help: "tables" },
  { name: "sql", label: "base.document.sql", path: "/sql", requiredRole: "viewers", help: "sql" },
  { name: "webhooks", label: "base.document.webhooks", path: "/webhooks", requiredRole: "owners", help: "webhooks" },
  {
    name: "sharing",
    label: "base.document.sharing",
    path: "/sharing",
    requiredRole: "viewers",
    signedIn: true,
    help: "access",
  },
  { name: "history", label: "base.document.history", path: "/history", requiredRole: "viewers", help: "history" },
  { name: "api", label: "base.document.api", path: "/code", requiredRole: "viewers", takesTable: true, help: "api" },
];
