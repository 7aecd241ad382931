/** Groups of processes with limits (cgroups, version 2 or 1), which root can make. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Controller = "memory" | "cpu";

/** A new, empty group. */
export interface ControlGroup {
  readonly path: string;
  /** Version 2: all controllers have one hierarchy, and other names of files. */
  readonly isUnified: boolean;
  /** Command prefix of a program that runs in it. */
  readonly under: readonly string[];
}

/** @throws Error if the system has no such controller, or does not let this process use it */
export function makeControlGroup(controller: Controller): ControlGroup {
  const unified = mountedControllers().find(({ type }) => type === "cgroup2")?.path;
  if (unified !== undefined && hasController(unified, controller)) return makeGroup(unified, true);
  const root = mountedControllers().find(({ options }) => options.includes(controller))?.path;
  if (root === undefined) throw new Error(`no ${controller} controller is mounted`);
  return makeGroup(root, false);
}

/** Enables the controller for groups below the root, unless it is. */
function hasController(root: string, controller: Controller): boolean {
  if (!readIfPresent(join(root, "cgroup.controllers")).split(/\s/).includes(controller)) return false;
  const enabled = join(root, "cgroup.subtree_control");
  if (!readIfPresent(enabled).split(/\s/).includes(controller)) writeFileSync(enabled, `+${controller}`);
  return true;
}

interface Mount {
  readonly path: string;
  readonly type: string;
  readonly options: readonly string[];
}

function mountedControllers(): Mount[] {
  return readIfPresent("/proc/mounts")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, , type]) => type === "cgroup" || type === "cgroup2")
    .map(([, path = "", type = "", options = ""]) => ({ path, type, options: options.split(",") }));
}

let groups = 0;

function makeGroup(root: string, isUnified: boolean): ControlGroup {
  const path = join(root, `quern-stress-${process.pid}-${++groups}`);
  mkdirSync(path);
  // The shell moves itself into the group, and the program takes its place.
  const under = ["sh", "-c", `echo $$ >${join(path, "cgroup.procs")} && exec "$@"`, "sh"];
  return { path, isUnified, under };
}

export function writeIfPresent(path: string, text: string): void {
  if (existsSync(path)) writeFileSync(path, text);
}

export function readIfPresent(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
