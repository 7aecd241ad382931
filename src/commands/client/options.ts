import type { CommandOption } from "../command.ts";

/** Options of all commands that are clients of a server. */
export const CLIENT_OPTIONS: readonly CommandOption[] = [
  {
    name: "profile",
    takes: "NAME",
    about: "Profile of quern login. Default: QUERN_PROFILE, else the default profile.",
    values: "profiles",
  },
  { name: "url", takes: "URL", about: "URL of the server, instead of a profile's. Default: QUERN_URL." },
  {
    name: "key-file",
    takes: "FILE",
    about: "File with the API key, instead of a profile's. Default: the key in QUERN_API_KEY.",
    values: "files",
  },
];
