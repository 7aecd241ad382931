import { type AnySchema, type Client, type ClientOptions, createClient } from "../../src/sdk/index.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A client whose requests are recorded, and get the given answers one after the other, then the last one. */
export function recording(
  answers: readonly (() => Response | Promise<Response>)[],
  options: Pick<ClientOptions, "key" | "retries"> = { key: "k" },
) {
  const sent: Sent[] = [];
  const client = createClient({
    url: "https://quern.test/o/team/",
    ...options,
    fetch: async (address, { method = "", headers, body }) => {
      const url = new URL(address);
      sent.push({
        method,
        path: url.pathname.replace("/o/team", ""),
        query: Object.fromEntries(url.searchParams),
        body: typeof body === "string" ? (JSON.parse(body) as unknown) : undefined,
        headers: headers as Record<string, string>,
      });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (!answer) throw new Error("no answer");
      return answer();
    },
  });
  return { client, sent };
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers });
export const lost = () => Promise.reject(new TypeError("the connection was lost"));

/** A call of a client. */
export type Use = (client: Client<AnySchema>) => Promise<unknown>;
