import type { Role } from "../../authorization.ts";

/** All pages of a document, in the order of the tabs. */
export type DocumentTabName = "Data" | "SQL" | "Webhooks" | "Sharing" | "History" | "API";

export interface DocumentTab {
  readonly name: DocumentTabName;
  /** The path after `/docs/{docId}`. */
  readonly path: string;
  /** The minimum role for the page. */
  readonly requiredRole: Role;
  /** Only for signed-in users, not for anonymous readers of public documents. */
  readonly signedIn?: boolean;
  /** Whether its URL takes the current table. */
  readonly takesTable?: boolean;
}

/** The pages of documents. Register new pages here. */
export const DOCUMENT_TABS: readonly DocumentTab[] = [
  { name: "Data", path: "", requiredRole: "viewers" },
  { name: "SQL", path: "/sql", requiredRole: "viewers" },
  { name: "Webhooks", path: "/webhooks", requiredRole: "owners" },
  { name: "Sharing", path: "/sharing", requiredRole: "viewers", signedIn: true },
  { name: "History", path: "/history", requiredRole: "viewers" },
  { name: "API", path: "/code", requiredRole: "viewers", takesTable: true },
];
