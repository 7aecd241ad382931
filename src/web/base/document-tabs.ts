import type { Role } from "../../authorization.ts";

/** Every page that a document can have, in the order of the tabs. */
export type DocumentTabName = "Data" | "SQL" | "Webhooks" | "Sharing" | "History" | "API";

export interface DocumentTab {
  readonly name: DocumentTabName;
  /** After `/docs/{docId}`. */
  readonly path: string;
  /** The least role that the page is good for. */
  readonly requiredRole: Role;
  /** Only for people who are signed in, not for everybody where the document is public. */
  readonly signedIn?: boolean;
  /** Whether its address takes the table in view. */
  readonly takesTable?: boolean;
}

/** The pages that a document has. Whoever makes one adds its line here. */
export const DOCUMENT_TABS: readonly DocumentTab[] = [
  { name: "Data", path: "", requiredRole: "viewers" },
  { name: "SQL", path: "/sql", requiredRole: "viewers" },
  { name: "Webhooks", path: "/webhooks", requiredRole: "owners" },
  { name: "Sharing", path: "/sharing", requiredRole: "viewers", signedIn: true },
  { name: "History", path: "/history", requiredRole: "viewers" },
  { name: "API", path: "/code", requiredRole: "viewers", takesTable: true },
];
