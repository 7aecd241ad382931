import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync } from "node:fs";
import { rmSync, writeSync, type Stats } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { temporaryName } from "../../lib/temporary-names.ts";
import { CommandFailure } from "../command.ts";

/** A server, and the API key that is sent to it alone. */
export interface Profile {
  /** Without a slash at the end; may end with `/o/SITE`. */
  readonly url: string;
  readonly key: string;
}

export interface Profiles {
  /** The name of the profile that is used unless another one is named. */
  readonly default: string | null;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The environment of a command. */
type Environment = Readonly<Record<string, string | undefined>>;

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** Permissions of the group and of all other users. */
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;
const SUPERUSER = 0;

/** A file with keys is small; anything larger is something else. */
const MAX_FILE_BYTES = 1_048_576;

/** Returns the path of the file with the profiles of a user. */
export function profilesPath(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = env["HOME"] || homedir();
  if (platform === "win32") return join(env["APPDATA"] || join(home, "AppData", "Roaming"), "quern", "profiles.json");
  const folder = env["XDG_CONFIG_HOME"] ?? "";
  // The specification of XDG tells programs to ignore relative paths.
  return join(isAbsolute(folder) ? folder : join(home, ".config"), "quern", "profiles.json");
}

/**
 * Reads the profiles of a user; none without a file.
 * @throws CommandFailure if other users can read or change the file, or it is damaged
 */
export function readProfiles(env: Environment): Profiles {
  const path = profilesPath(env);
  const text = readOwnFile(path, { isSecret: true });
  if (text === null) return { default: null, profiles: new Map() };
  const parsed = parseProfiles(text);
  if (!parsed) throw new CommandFailure("refused", `${path} is damaged; delete it and run quern login again`);
  return parsed;
}

/**
 * Returns the text of a file that other users cannot change; null if it does not exist.
 * @param isSecret whether other users must not be able to read it either
 * @throws CommandFailure if they can
 */
export function readOwnFile(path: string, { isSecret }: { isSecret: boolean }): string | null {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    // The file that is read, also if another one has replaced it at its path.
    requireOwn(path, fstatSync(file), isSecret);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function requireOwn(path: string, { mode, uid, size }: Stats, isSecret: boolean): void {
  if (size > MAX_FILE_BYTES) throw new CommandFailure("refused", `${path} is too large`);
  if (process.platform === "win32") return;
  if (uid !== userInfo().uid && uid !== SUPERUSER)
    throw new CommandFailure("refused", `${path} belongs to another user`);
  if ((mode & OTHERS_WRITE) !== 0)
    throw new CommandFailure("refused", `Other users can change ${path}; run: chmod 600 ${path}`);
  if (isSecret && (mode & OTHERS_READ) !== 0)
    throw new CommandFailure("refused", `Other users can read ${path}; run: chmod 600 ${path}`);
}

/** Replaces the file of profiles: readers find the old or the new one. Only its owner can read it. */
export function writeProfiles(env: Environment, { default: chosen, profiles }: Profiles): void {
  const path = targetOf(profilesPath(env));
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  const content = { default: chosen, profiles: Object.fromEntries(profiles) };
  const temporary = join(dirname(path), `.${temporaryName("profiles")}`);
  try {
    const file = openSync(temporary, "wx", PRIVATE_FILE);
    try {
      writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Follows a symbolic link: the file may be kept in another folder, which renaming would leave unchanged. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function parseProfiles(text: string): Profiles | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || !isObject(value["profiles"])) return null;
  const profiles = new Map<string, Profile>();
  for (const [name, profile] of Object.entries(value["profiles"])) {
    if (!isObject(profile)) return null;
    const { url, key } = profile;
    if (typeof url !== "string" || typeof key !== "string" || !URL.canParse(url)) return null;
    profiles.set(name, { url, key });
  }
  const chosen = value["default"];
  return { default: typeof chosen === "string" && profiles.has(chosen) ? chosen : null, profiles };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
