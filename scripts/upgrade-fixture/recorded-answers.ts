/** Records what a server answers to the readers of an installation. */
import type { FormerServer } from "./former-server.ts";
import type { Installation, RecordedAnswer } from "./installation.ts";

const READERS = ["admin", "editor", "viewer", "stranger", "service", "session", "anon"];
const HOME_PATHS = ["/api/orgs", "/o/tea/api/orgs/tea", "/o/tea/api/orgs/tea/workspaces", "/api/profile/user"];

/** Returns the answers to every request of `requestsOf`. */
export async function recordAnswers(server: FormerServer, installation: Installation): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = [];
  for (const { as, path } of requestsOf(installation)) {
    const response = await fetch(server.address + path, { headers: headersOf(installation, as) });
    answers.push({ as, path, ...(await readAnswer(response)) });
  }
  return answers;
}

/** Returns the headers by which a reader authenticates. */
export function headersOf({ keys, cookie }: Installation, as: string): Record<string, string> {
  if (as === "anon") return {};
  return as === "session" ? { Cookie: cookie } : { Authorization: `Bearer ${keys[as]}` };
}

/** Returns the status, and the JSON or the SHA-256 of the content. */
export async function readAnswer(response: Response): Promise<Pick<RecordedAnswer, "status" | "body">> {
  const { status } = response;
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  if (isJson) return { status, body: await response.json() };
  return { status, body: new Bun.CryptoHasher("sha256").update(await response.bytes()).digest("hex") };
}

function requestsOf({ documents, workspaceId, trashedWorkspaceId }: Installation): { as: string; path: string }[] {
  const doc = (uuid: string, ...paths: string[]) => paths.map((path) => `/o/tea/api/docs/${uuid}${path}`);
  const forEveryone = [
    ...HOME_PATHS,
    ...doc(documents.orders, "", "/tables", "/tables/Orders/records", "/tables/Customers/data"),
    ...doc(documents.orders, "/tables/Orders_summary_Customer/records", "/attachments/2/download"),
    ...doc(documents.notes, "", "/tables/Table1/records"),
    ...doc(documents.trashed, ""),
    ...doc("orders", "/tables/Customers/records"),
  ];
  const forOwners = [
    "/api/session/access/active",
    "/api/service-accounts",
    "/o/tea/api/orgs/tea/access",
    "/o/tea/api/orgs/tea/workspaces?showRemoved=1",
    `/o/tea/api/workspaces/${workspaceId}/access`,
    `/o/tea/api/workspaces/${trashedWorkspaceId}`,
    ...doc(documents.orders, "/access", "/webhooks", "/states", "/attachments", "/attachments/1", "/history"),
    ...doc(documents.orders, "/tables/Orders/columns?hidden=true", "/tables/_grist_ACLRules/records"),
    ...doc(documents.orders, "/download/csv?tableId=Orders", "/formula-errors", "/attachments/1/download"),
    ...doc(documents.notes, "/access", "/snapshots", "/states"),
  ];
  return [
    ...READERS.flatMap((as) => forEveryone.map((path) => ({ as, path }))),
    ...["admin", "session"].flatMap((as) => forOwners.map((path) => ({ as, path }))),
  ];
}
