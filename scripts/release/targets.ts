/** The systems that executables are built for, and where their files are published. */

/** install.sh downloads from there by default. The documentation has the same address. */
export const RELEASE_URL = "https://quern.example/releases";

export interface Target {
  /** Part of the names of artefacts: `linux-x64`. */
  readonly name: `${"linux" | "darwin"}-${"x64" | "arm64"}` | `linux-${"x64" | "arm64"}-musl`;
  /** The npm package of the Bun runtime. */
  readonly runtime: string;
  /** As npm and Bun name them. */
  readonly os: "linux" | "darwin";
  readonly cpu: "x64" | "arm64";
}

export const TARGETS: readonly Target[] = [
  { name: "linux-x64", runtime: "@oven/bun-linux-x64", os: "linux", cpu: "x64" },
  { name: "linux-arm64", runtime: "@oven/bun-linux-aarch64", os: "linux", cpu: "arm64" },
  { name: "linux-x64-musl", runtime: "@oven/bun-linux-x64-musl", os: "linux", cpu: "x64" },
  { name: "linux-arm64-musl", runtime: "@oven/bun-linux-aarch64-musl", os: "linux", cpu: "arm64" },
  { name: "darwin-arm64", runtime: "@oven/bun-darwin-aarch64", os: "darwin", cpu: "arm64" },
  { name: "darwin-x64", runtime: "@oven/bun-darwin-x64", os: "darwin", cpu: "x64" },
];

/**
 * Returns a target by its name.
 * @throws Error if there is none
 */
export function targetNamed(name: string): Target {
  const target = TARGETS.find((each) => each.name === name);
  if (!target) throw new Error(`No target "${name}": ${TARGETS.map((each) => each.name).join(", ")}`);
  return target;
}
