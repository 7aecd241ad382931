import { existsSync } from "node:fs";
import { basename, extname } from "node:path";
import type { WorkspaceGrant } from "../authorization.ts";
import { AppError, invalid } from "../errors.ts";
import { checkFile } from "../hosts/check-file.ts";
import { type FileRecalculation, recalculateFile } from "../hosts/files/recalculate-file.ts";
import { systemClock } from "../lib/time/clock.ts";
import { actorForCommand } from "../services/accounts/actors.ts";
import type { Context } from "../services/context.ts";
import { guardSite, guardWorkspace } from "../services/access/guards.ts";
import { localImportFile } from "../services/imports/import-files.ts";
import { importFile } from "../services/imports/imports.ts";
import { listWorkspaces } from "../services/sites/workspaces.ts";
import type { Command, CommandInput } from "./command.ts";
import { printResult, withContext } from "./with-context.ts";

export const docImport: Command = {
  name: "doc import",
  about: "Makes a document from a file (.grist, .csv, .tsv, .xlsx, .json) and prints its UUID.",
  options: [
    { name: "org", takes: "D", about: "Domain of the site, or docs-N for a personal one.", required: true },
    { name: "workspace", takes: "W", about: "Name of the workspace, or its number.", required: true },
    { name: "as", takes: "E", about: "E-mail address of the user who will own the document.", required: true },
    { name: "name", takes: "N", about: "Name of the document; by default the file's." },
    {
      name: "locale",
      takes: "L",
      about: "How its author writes numbers and dates, as in de-CH; by default as the user.",
    },
  ],
  operands: ["FILE"],
  async run(input) {
    const file = requireFile(input);
    const name = input.options["name"] ?? basename(file, extname(file));
    const { locale } = input.options;
    const imported = await withContext(input, async (ctx) => {
      const grant = findWorkspace(ctx, input);
      await using localFile = localImportFile(
        { path: file, name: basename(file) },
        locale === undefined ? {} : { locale },
      );
      return await importFile(ctx, grant, localFile, { documentName: name });
    });
    const { id: uuid, title: _, counts, ...report } = imported;
    printResult(input, { uuid, name, ...counts, ...report, tables: counts.tables }, [uuid]);
    return 0;
  },
};

export const docCheck: Command = {
  name: "doc check",
  about:
    "Verifies a document file: SQLite's own integrity, the metadata against the tables, and that the contents of attachments are there. Changes nothing.",
  options: [],
  operands: ["FILE"],
  async run(input) {
    const { ok, problems } = checkFile(requireFile(input));
    printResult(input, { ok, problems }, ok ? ["ok"] : problems);
    if (!ok)
      throw new AppError("invalid", `${problems.length} ${problems.length === 1 ? "problem" : "problems"} found`);
    return 0;
  },
};

export const docRecalculate: Command = {
  name: "doc recalculate",
  about: "Computes all formulas of a document file anew and stores the results. No server may have the file open.",
  options: [
    { name: "check", about: "Change nothing; print the cells that are stored otherwise, and fail if there are any." },
  ],
  operands: ["FILE"],
  async run(input) {
    const checkOnly = input.switches.has("check");
    const result = recalculateFile(requireFile(input), { clock: systemClock, checkOnly });
    const { differences, summaries, volatile } = result;
    const count = differences.length + summaries.length;
    printResult(input, result, [
      ...differences.map(formatDifference),
      ...summaries.map((table) => `${table}: other rows than its groups`),
      ...(volatile.length > 0 ? [`left out, since they differ each time: ${volatile.join(", ")}`] : []),
      ...(count === 0 ? ["ok"] : []),
    ]);
    if (checkOnly && count > 0)
      throw new AppError("invalid", `${count} ${count === 1 ? "cell differs" : "cells differ"}`);
    return 0;
  },
};

const formatDifference = ({ table, column, row, stored, computed }: FileRecalculation["differences"][number]): string =>
  `${table}.${column} ${row}: stored ${JSON.stringify(stored)}, computed ${JSON.stringify(computed)}`;

function requireFile({ operands }: CommandInput): string {
  const [file = ""] = operands;
  if (!existsSync(file)) throw invalid(`there is no file ${file}`);
  return file;
}

/** The workspace of that name or number in the site, which the user must be allowed to add to. */
function findWorkspace(ctx: Context, { options }: CommandInput): WorkspaceGrant {
  const { org = "", workspace = "", as = "" } = options;
  const actor = actorForCommand(ctx, as);
  const site = guardSite(ctx, actor, { kind: "personal" }, org, "guests");
  const found = listWorkspaces(ctx, site, { showRemoved: false, sizes: false }).filter(
    ({ id, name }) => name === workspace || String(id) === workspace,
  );
  if (!found[0]) throw invalid(`there is no workspace ${workspace} in ${org}`);
  if (found.length > 1) throw invalid(`there are several workspaces ${workspace} in ${org}; name it by its number`);
  return guardWorkspace(ctx, actor, String(found[0].id), "editors");
}
