/** Packages that an executable contains as compressed scripts do the same there as from the sources. */
import { $ } from "bun";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { PACKED_PACKAGES, packedPackages } from "../../scripts/packed-packages.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { BEHAVIOUR, describeBehaviour } from "./packed-behaviour.ts";

test("the behaviour of every packed package is tested", () => {
  expect(PACKED_PACKAGES.map(({ specifier }) => specifier)).toEqual(Object.keys(BEHAVIOUR));
});

test("packed packages do the same in an executable as from the sources", async () => {
  const folder = tempFolder();
  const outfile = join(folder, "program");
  await Bun.build({
    entrypoints: [join(import.meta.dir, "packed-program.ts")],
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    splitting: true,
    plugins: [packedPackages(join(folder, "packed"))],
    compile: { outfile },
  });
  // Outside the work tree, where no folder of packages is in reach.
  const output = await $`${outfile}`.cwd(folder).text();
  expect(JSON.parse(output)).toEqual(JSON.parse(await describeBehaviour()));
  expect(output.length).toBeGreaterThan(1000);
}, 120_000);
