/** The manual page quern(1), from the table of commands. */
import { COMMANDS, optionsOf } from "../../src/commands/run.ts";

/** Returns the page in the macros of mdoc(7). */
export function manualPage(version: string, time: Date): string {
  const date = time.toLocaleDateString("en-US", { timeZone: "UTC", year: "numeric", month: "long", day: "numeric" });
  const commands = COMMANDS.flatMap((command) => [
    `.It Nm Cm ${escape([command.name, ...(command.operands ?? [])].join(" "))}`,
    escape(command.about),
    ...(command.takesSettings ? ["Every setting is also an option."] : optionList(command)),
  ]);
  return [
    `.Dd ${date}`,
    ".Dt QUERN 1",
    ".Os",
    ".Sh NAME",
    ".Nm quern",
    ".Nd document-database server",
    ".Sh SYNOPSIS",
    ".Nm",
    ".Ar command",
    ".Op Ar options",
    ".Sh DESCRIPTION",
    `Quern ${escape(version)} stores spreadsheet-like documents and serves them through a REST API and in the browser.`,
    "All commands work while a server runs on the same data.",
    ".Sh COMMANDS",
    ".Bl -tag -width Ds",
    ...commands,
    ".El",
    ".Sh ENVIRONMENT",
    "Each setting of the server is a variable whose name begins with",
    ".Ev QUERN_ .",
    "The running server lists them at",
    ".Pa /help/settings .",
    ".Sh FILES",
    ".Bl -tag -width Ds",
    ".It Pa /etc/quern/quern.env",
    "Settings of the systemd service.",
    ".It Pa /var/lib/quern",
    "Data of the systemd service.",
    ".El",
    ".Sh EXIT STATUS",
    "0 on success, 1 after an error, 2 if the command line is invalid.",
    "",
  ].join("\n");
}

function optionList(command: (typeof COMMANDS)[number]): string[] {
  const items = optionsOf(command).flatMap(({ name, takes, about }) => [
    `.It Fl Fl ${name}${takes ? ` Ar ${escape(takes)}` : ""}`,
    escape(about),
  ]);
  // Formatters indent wrongly after an empty list.
  return items.length === 0 ? [] : [".Bl -tag -width Ds -compact", ...items, ".El"];
}

/** Lines must not begin with a control character, hyphens and backslashes have a meaning, and the input is ASCII. */
const escape = (text: string): string =>
  text
    .replaceAll("…", "...")
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
