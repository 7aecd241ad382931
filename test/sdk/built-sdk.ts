import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSdk, type BuiltSdk } from "../../scripts/build-sdk.ts";

let built: Promise<BuiltSdk> | undefined;

/** Builds the client once for all tests of a process. */
export const builtSdk = (): Promise<BuiltSdk> => (built ??= build());

function build(): Promise<BuiltSdk> {
  // Not removed after the file that comes first: the files in the same process share it.
  const folder = mkdtempSync(join(tmpdir(), "quern-sdk-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return buildSdk(folder);
}
