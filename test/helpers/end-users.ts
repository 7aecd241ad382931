import type { Reply, TestApp, UserName } from "./app.ts";
import type { CallOptions } from "./app.ts";

export interface TokenBody {
  readonly email?: string;
  readonly role?: "viewers" | "editors";
  readonly scopes?: readonly string[];
  readonly origins?: readonly string[];
  readonly expiresIn?: number;
}

/** Creates a token for an end user of a document, with the key of a user. `doc` is its path. */
export async function createToken(
  server: TestApp,
  doc: string,
  { email = "eve@app.example", role = "editors", ...body }: TokenBody = {},
  as: UserName = "owner",
): Promise<string> {
  const reply = await server.call(as, "POST", `${doc}/tokens`, { email, role, ...body });
  if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${JSON.stringify(reply.body)}`);
  return (reply.body as { token: string }).token;
}

/** Sends a request with a token. */
export const callWithToken = (
  server: TestApp,
  token: string,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  options: CallOptions = {},
): Promise<Reply> =>
  server.call("anon", method, path, body, {
    ...options,
    headers: { Authorization: `Bearer ${token}`, ...options.headers },
  });
