/** The commands that are clients of a server. Their code loads when they run. */
import type { Command } from "../command.ts";

export const login: Command = {
  name: "login",
  about:
    "Checks an API key, and keeps it with the URL of its server in a profile, which the commands that are clients of a server use. Asks for the key, or reads it from QUERN_API_KEY or from the first line of stdin.",
  options: [
    { name: "name", takes: "NAME", about: "Name of the profile. Default: the host of the server." },
    { name: "default", about: "Makes this profile the default. The first one always is." },
    {
      name: "key-file",
      takes: "FILE",
      about: "File with the API key.",
      values: "files",
    },
  ],
  operands: ["URL"],
  isClient: "own",
  run: async (input) => (await import("./login.ts")).runLogin(input),
};

export const logout: Command = {
  name: "logout",
  about: "Removes a profile with its API key from this machine. The key stays valid. Default: the default profile.",
  options: [{ name: "all", about: "Removes all profiles." }],
  operands: ["[NAME]"],
  isClient: "own",
  run: async (input) => (await import("./login.ts")).runLogout(input),
};

export const profiles: Command = {
  name: "profiles",
  about: "Lists the profiles with the URLs of their servers, and marks the default one. Never prints keys.",
  options: [
    { name: "default", takes: "NAME", about: "Makes this profile the default.", values: "profiles" },
    { name: "json", about: "Print the result as JSON." },
  ],
  isClient: "own",
  run: async (input) => (await import("./login.ts")).runProfiles(input),
};
