import { HOME_VERSION } from "../home/home-upgrade.ts";
import { versionText } from "../hosts/files/version-text.ts";
import { API_VERSION, BUILD, VERSION } from "../lib/build.ts";
import type { Command } from "./command.ts";
import { printResult } from "./with-context.ts";

export const version: Command = {
  name: "version",
  about:
    "Prints the version of the program in the first line, then its build, Bun, and the versions of the home database and of documents that it writes. An upgrade changes data of older ones.",
  options: [],
  async run(input) {
    const { LATEST_VERSIONS } = await import("../hosts/files/upgrade-file.ts");
    const platform = `${process.platform} ${process.arch}`;
    const details = { api: API_VERSION, build: BUILD, bun: Bun.version, platform };
    printResult(input, { version: VERSION, ...details, home: HOME_VERSION, documents: LATEST_VERSIONS }, [
      VERSION,
      `build          ${BUILD}`,
      `bun            ${Bun.version}, ${platform}`,
      `api            ${API_VERSION}`,
      `home database  version ${HOME_VERSION}`,
      `documents      version ${versionText(LATEST_VERSIONS)}`,
    ]);
    return 0;
  },
};
