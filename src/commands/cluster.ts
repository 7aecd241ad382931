import { isServerRunning, lockDataFolder } from "../app.ts";
import { logUrlOf } from "../config/cluster-settings.ts";
import { AppError, invalid } from "../errors.ts";
import type { Command, CommandInput } from "./command.ts";
import { printResult, requireData } from "./with-context.ts";

export const clusterRecover: Command = {
  name: "cluster recover",
  about:
    "Decides about a document whose log lost acknowledged changes: PostgreSQL was restored or failed over to an older state. The other content stays, under diverged/ or in the log. Works beside the server, except for the home database.",
  options: [
    {
      name: "keep-local",
      takes: "DOC",
      about: "Puts the file that the server kept into the log, as the newest content.",
    },
    { name: "keep-log", takes: "DOC", about: "Continues with the content of the log." },
    { name: "log-to", takes: "URL", about: "URL of the log. Default QUERN_CLUSTER or QUERN_LOG_TO." },
  ],
  async run(input) {
    const { options, config } = input;
    const { "keep-local": local, "keep-log": log } = options;
    const doc = local ?? log;
    if (doc === undefined || (local !== undefined && log !== undefined)) {
      throw invalid("either --keep-local DOC or --keep-log DOC is required");
    }
    const url = options["log-to"] ?? logUrlOf(config);
    if (url === null) throw invalid("--log-to URL is missing");
    using _lock = lockUnlessRunning(input, doc);
    const { recoverInFolder } = await import("../composition/recover.ts");
    const keeps = local === undefined ? "log" : "local";
    const recovery = await recoverInFolder({ url, folder: config.data, doc, keeps });
    printResult(input, recovery, [
      keeps === "local"
        ? `Document ${doc} continues with ${recovery.keptAs} as commit ${recovery.seq}`
        : `Document ${doc} continues with commit ${recovery.seq} of the log; the other file stays at ${recovery.keptAs}`,
    ]);
    return 0;
  },
};

/** A server must not start in the middle; one that runs keeps its home database open. */
function lockUnlessRunning({ config }: CommandInput, doc: string): Disposable | null {
  if (!isServerRunning(config.data)) return lockDataFolder(config);
  if (doc === "home") throw new AppError("conflict", `a server uses ${config.data}: stop it first`);
  requireData(config);
  return null;
}
