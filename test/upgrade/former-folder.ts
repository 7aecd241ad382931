import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Installation } from "../../scripts/upgrade-fixture/installation.ts";
import { createApp, type App } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import type { Log } from "../../src/lib/observability/log.ts";
import { CHEAP_PASSWORD_HASH, DOC_THREADS } from "../helpers/app.ts";
import { TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const ARCHIVE = join(import.meta.dir, "fixtures/quern-0.1.tar.gz");

/** A copy of the data folder that version 0.1.0 (commit 1ad44bdf) wrote, with the keys and the answers of that version. */
export interface FormerFolder {
  readonly data: string;
  readonly installation: Installation;
}

/** Unpacks the fixture into a new folder, which is removed after the tests. */
export async function formerFolder(): Promise<FormerFolder> {
  const folder = tempFolder();
  const unpacked = Bun.spawn(["tar", "-xzf", ARCHIVE, "-C", folder], { stdout: "inherit", stderr: "inherit" });
  if ((await unpacked.exited) !== 0) throw new Error("the fixture cannot be unpacked");
  const data = join(folder, "data");
  chmodSync(data, 0o700);
  return { data, installation: (await Bun.file(join(folder, "installation.json")).json()) as Installation };
}

export interface OpenOptions {
  /** Settings by flag. */
  readonly flags?: Record<string, string>;
  readonly log?: Log;
  /** `former`: a minute after the former version stopped, so that nothing has expired. */
  readonly clock?: "former" | "system";
}

/** Starts this version on the folder. */
export function openInThisVersion(
  { data, installation }: FormerFolder,
  { flags = {}, log, clock = "former" }: OpenOptions = {},
): App {
  const settings = { data, "doc-threads": DOC_THREADS, "attachments-inside": "1KB", "webhook-retry-ms": "5", ...flags };
  return createApp(readConfig(settings, {}), {
    clock: clock === "former" ? new TestClock(installation.createdAtMs + 60_000) : systemClock,
    passwordCost: CHEAP_PASSWORD_HASH,
    ...(log && { log }),
  });
}

/**
 * Returns the SHA-256 of each file below a folder, by path. Skips the lock, which is empty: reading its file in the
 * process that holds it would release it.
 */
export function checksums(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(isNoLock)
    .toSorted();
  return Object.fromEntries(
    paths.map((path) => [
      path.slice(folder.length + 1),
      new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex"),
    ]),
  );
}

const isNoLock = (path: string): boolean => !/\/lock(-journal)?$/.test(path);
