/**
 * A real PostgreSQL server for tests (see scripts/postgres-server.ts), in a temporary folder. One server per test
 * process, one database per test.
 */
import { HAS_POSTGRES, type PostgresOptions, PostgresServer as Server } from "../../scripts/postgres-server.ts";
import { afterAllTests, tempFolder } from "./temp-folder.ts";

export { HAS_POSTGRES };
/** For the names of tests that are skipped without PostgreSQL. */
export const POSTGRES_NEEDED = HAS_POSTGRES ? "" : " (skipped: PostgreSQL is not installed)";

if (!HAS_POSTGRES) console.warn("Tests that need PostgreSQL are skipped: it is not installed (package postgresql)");

export type PostgresServer = Server;

export const PostgresServer = {
  /** Creates a server's files and starts it. It ends after the tests. */
  async start(options: Omit<PostgresOptions, "folder"> = {}): Promise<Server> {
    const server = await Server.start({ ...options, folder: tempFolder() });
    afterAllTests(() => server.stop("immediate"));
    return server;
  },
};

let shared: Promise<Server> | null = null;

/** The server that the test files of this process share. Tests that stop or change it start one of their own. */
export function sharedPostgres(): Promise<Server> {
  if (!shared) {
    shared = PostgresServer.start();
    // Files of one process share modules, but not the end of their tests: the next file starts another server.
    afterAllTests(async () => {
      shared = null;
    });
  }
  return shared;
}

/** Creates an empty database on the shared server. */
export const createDatabase = async (): Promise<string> => (await sharedPostgres()).createDatabase();
