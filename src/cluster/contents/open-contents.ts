import { AppError } from "../../errors.ts";
import { connect } from "../postgres/connect.ts";
import type { Connection } from "../postgres/connection.ts";
import { parseLogUrl } from "../postgres/log-url.ts";
import { ReconnectingConnection } from "../postgres/reconnecting.ts";
import { LOG_REFUSALS } from "../postgres/refusals.ts";
import { readInstallation } from "../postgres/tables.ts";
import { fetchTo } from "./local-contents.ts";
import { LogContents, type LogContentsOptions } from "./log-contents.ts";

/** The contents of a log as commands see them, which own no document. */
export interface OpenedContents<Id extends string> extends AsyncDisposable {
  readonly contents: LogContents<Id>;
  /** Writes a content of a document's own store to a file. Returns false if the log does not have it. */
  fetch(doc: string, ident: string, path: string): Promise<boolean>;
}

/**
 * Opens the contents of a log for reading.
 * @throws AppError with one sentence if the database has no log, or cannot be reached
 */
export async function openLogContents<Id extends string>(
  url: string,
  parts: Pick<LogContentsOptions<Id>, "objects" | "isContentName" | "storeIds">,
): Promise<OpenedContents<Id>> {
  const connection = new ReconnectingConnection({
    open: (onClosed): Promise<Connection> => connect(parseLogUrl(url), { onClosed }),
  });
  try {
    const installation = await readInstallation(await connection.get());
    if (!installation) throw new AppError("log.unsupported", LOG_REFUSALS.empty());
  } catch (error) {
    await connection.close();
    throw error;
  }
  const contents = new LogContents<Id>({
    ...parts,
    database: { bulk: () => connection.get() },
    retentionMs: 0,
    ownershipOf: () => null,
    renewEpoch() {},
  });
  const own = parts.storeIds.own;
  return {
    contents,
    fetch: async (doc, ident, path) => (await fetchTo(path, await contents.storeOf(doc, own).read(ident))) !== null,
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
