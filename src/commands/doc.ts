import { existsSync } from "node:fs";
import { basename, extname } from "node:path";
import type { WorkspaceGrant } from "../authorization.ts";
import { readInstallationId, requireUnloggedFile } from "../cluster/log-folder.ts";
import { AppError, invalid } from "../errors.ts";
import type { DocumentDescription } from "../hosts/files/describe-file.ts";
import type { FileRecalculation } from "../hosts/files/recalculate-file.ts";
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
  about: "Imports a file (.grist, .csv, .tsv, .xlsx, .json) as a new document and prints its UUID.",
  options: [
    { name: "org", takes: "D", about: "Domain of the site, or docs-N for a personal site.", required: true },
    { name: "workspace", takes: "W", about: "Name or id of the workspace.", required: true },
    { name: "as", takes: "E", about: "Email address of the user who will own the document.", required: true },
    { name: "name", takes: "N", about: "Name of the document. Default: the name of the file." },
    {
      name: "locale",
      takes: "L",
      about: "Locale of the file's numbers and dates, for example de-CH. Default: the user's locale.",
    },
  ],
  operands: ["FILE"],
  async run(input) {
    const file = requireFile(input);
    requireNoLogForImport(input);
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
    "Verifies a document file: SQLite integrity, consistency of metadata and tables, pages and sections, and presence of all attachment contents. Lists settings that programs ignore as notices. Read-only.",
  options: [],
  operands: ["FILE"],
  async run(input) {
    const { checkFile } = await import("../hosts/files/check-file.ts");
    const { ok, problems, notices } = checkFile(requireFile(input));
    const lines = [...(ok ? ["ok"] : problems), ...notices.map((notice) => `Notice: ${notice}`)];
    printResult(input, { ok, problems, notices }, lines);
    if (!ok)
      throw new AppError("invalid", `${problems.length} ${problems.length === 1 ? "problem" : "problems"} found`);
    return 0;
  },
};

export const docDescribe: Command = {
  name: "doc describe",
  about:
    "Counts the tables, rows, columns, formula errors, attachments and access rules of a document file, to compare it with a copy on another server. Read-only.",
  options: [],
  operands: ["FILE"],
  async run(input) {
    const { describeFile } = await import("../hosts/files/describe-file.ts");
    const description = describeFile(requireFile(input));
    printResult(input, description, describedLines(description));
    return 0;
  },
};

function describedLines({ tables, attachments, accessRules, pages }: DocumentDescription): string[] {
  return [
    ...tables.map(({ table, rows, columns, formulas, formulaErrors }) => {
      const errors = Object.entries(formulaErrors).map(([column, count]) => `${count} in ${column}`);
      const shown = errors.length > 0 ? `; errors: ${errors.join(", ")}` : "";
      return `table ${table}: rows ${rows}, columns ${columns}, formulas ${formulas}${shown}`;
    }),
    `attachments: ${attachments.count}, bytes ${attachments.sizeBytes}`,
    `access rules: ${accessRules}`,
    `pages: ${pages}`,
  ];
}

export const docRecalculate: Command = {
  name: "doc recalculate",
  about: "Recalculates all formulas of a document file and stores the results. The file must not be open in a server.",
  options: [
    {
      name: "check",
      about:
        "Dry run: print the cells whose stored value differs from the computed one, and exit with 1 if any differ.",
    },
  ],
  operands: ["FILE"],
  async run(input) {
    const { recalculateFile } = await import("../hosts/files/recalculate-file.ts");
    const checkOnly = input.switches.has("check");
    const file = requireFile(input);
    if (!checkOnly) requireUnloggedFile(file);
    const result = recalculateFile(file, { clock: systemClock, checkOnly });
    const { differences, summaries, volatile } = result;
    const count = differences.length + summaries.length;
    printResult(input, result, [
      ...differences.map(formatDifference),
      ...summaries.map((table) => `${table}: rows do not match the groups`),
      ...(volatile.length > 0 ? [`skipped because their results are volatile: ${volatile.join(", ")}`] : []),
      ...(count === 0 ? ["ok"] : []),
    ]);
    if (checkOnly && count > 0)
      throw new AppError("invalid", `${count} ${count === 1 ? "cell differs" : "cells differ"}`);
    return 0;
  },
};

const formatDifference = ({ table, column, row, stored, computed }: FileRecalculation["differences"][number]): string =>
  `${table}.${column} ${row}: stored ${JSON.stringify(stored)}, computed ${JSON.stringify(computed)}`;

/** The server puts documents into the log; one that another process adds would not be there. */
function requireNoLogForImport({ config: { data } }: CommandInput): void {
  if (readInstallationId(data) === null) return;
  throw new AppError(
    "conflict",
    `the documents of ${data} are in a replicated log: import the file in the browser or with POST /api/workspaces/{workspaceId}/import`,
  );
}

function requireFile({ operands }: CommandInput): string {
  const [file = ""] = operands;
  if (!existsSync(file)) throw invalid(`file not found: ${file}`);
  return file;
}

/** Returns the workspace with that name or id in the site. The user must be allowed to add documents to it. */
function findWorkspace(ctx: Context, { options }: CommandInput): WorkspaceGrant {
  const { org = "", workspace = "", as = "" } = options;
  const actor = actorForCommand(ctx, as);
  const site = guardSite(ctx, actor, { kind: "personal" }, org, "guests");
  const found = listWorkspaces(ctx, site, { showRemoved: false, sizes: false }).filter(
    ({ id, name }) => name === workspace || String(id) === workspace,
  );
  if (!found[0]) throw invalid(`workspace not found: ${workspace} in ${org}`);
  if (found.length > 1) throw invalid(`${org} has several workspaces called ${workspace}; use the id instead`);
  return guardWorkspace(ctx, actor, String(found[0].id), "editors");
}
