import type { Config } from "../config.ts";
import { serverAddress } from "../lib/network/server-address.ts";

/** Returns the address of the pages of documents; undefined while the port is unknown. */
export function pagesUrl({ publicUrl, host, port, tlsCert }: Config): string | undefined {
  if (publicUrl) return `${publicUrl}/docs`;
  if (port === 0) return undefined;
  const isAny = host === "0.0.0.0" || host === "::";
  return `${serverAddress({ isTls: tlsCert !== null, host: isAny ? "localhost" : host, port })}/docs`;
}
