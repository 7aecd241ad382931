import { API_VERSION, VERSION } from "../lib/build.ts";
import type { Command } from "./command.ts";
import { printResult } from "./with-context.ts";

export const version: Command = {
  name: "version",
  about: "Prints the version of the program.",
  options: [],
  async run(input) {
    printResult(input, { version: VERSION, api: API_VERSION, bun: Bun.version }, [VERSION]);
    return 0;
  },
};
