import { must } from "../../lib/assert.ts";
import { AppError } from "../../errors.ts";
import { connect } from "../postgres/connect.ts";
import { statement, type Connection } from "../postgres/connection.ts";
import { parseLogUrl } from "../postgres/log-url.ts";
import { LOG_REFUSALS } from "../postgres/refusals.ts";
import { readInstallation } from "../postgres/tables.ts";

/** A log that is only read. */
export interface ReadableLog extends AsyncDisposable {
  readonly connection: Connection;
  /** PostgreSQL's time when the log was opened. */
  readonly nowMs: number;
}

const NOW = statement<{ nowMs: number }>(
  "now",
  `select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
);

/** @throws AppError `log.…` if the log cannot be read, `notFound` if the database has none */
export async function openLogForReading(url: string): Promise<ReadableLog> {
  const connection = await connect(parseLogUrl(url));
  try {
    if (!(await readInstallation(connection))) throw new AppError("notFound", LOG_REFUSALS.empty());
    const { nowMs } = must((await connection.run(NOW)).rows[0], "time");
    return { connection, nowMs, [Symbol.asyncDispose]: () => connection.close() };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
