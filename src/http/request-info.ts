import { NO_REQUEST_INFO, type RequestInfo } from "../authorization.ts";
import type { Call } from "./call.ts";

/**
 * Returns the properties of a request that access rules inside a document can use. Of repeated link parameters, the
 * last one counts.
 */
export function requestInfo({ request, search }: Pick<Call, "request" | "search">): RequestInfo {
  const origin = request.headers.get("origin");
  const links = search.includes("_=") ? linkParameters(search) : [];
  return origin === null && links.length === 0 ? NO_REQUEST_INFO : { origin, linkKey: Object.fromEntries(links) };
}

const linkParameters = (search: string): [name: string, value: string][] =>
  [...new URLSearchParams(search)].flatMap(([name, value]) =>
    name.length > 1 && name.endsWith("_") ? [[name.slice(0, -1), value]] : [],
  );
