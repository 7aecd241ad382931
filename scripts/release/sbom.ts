/** The software bill of materials, in the form of CycloneDX. */
import { $ } from "bun";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { join } from "node:path";
import manifest from "../../package.json";
import type { DebianPackage } from "./oci-base.ts";
import { TARGETS } from "./targets.ts";

interface Component {
  readonly "bom-ref": string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly [key: string]: unknown;
}

export interface Bom {
  readonly specVersion: string;
  readonly metadata: { readonly component: Component; readonly [key: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  readonly [key: string]: unknown;
}

export interface SbomInput {
  readonly root: string;
  readonly time: Date;
  /** The packages in the container image besides the executable. */
  readonly imagePackages: readonly DebianPackage[];
}

/** Returns the bill of materials: the packages that npm lists, the Bun runtime, and the packages in the container image. */
export async function createSbom({ root, time, imagePackages }: SbomInput): Promise<Bom> {
  const listed = await $`npm sbom --sbom-format cyclonedx --package-lock-only`.cwd(root).quiet();
  const bom = withoutDevelopment(JSON.parse(listed.stdout.toString()) as Bom);
  const bun = await bunComponent(root);
  const { component } = bom.metadata;
  const image = imagePackages.map(debianComponent);
  return {
    ...bom,
    // npm makes a random one for each call.
    serialNumber: `urn:uuid:${uuidOf(`${manifest.name}@${manifest.version} ${time.toISOString()}`)}`,
    metadata: {
      ...bom.metadata,
      timestamp: time.toISOString(),
      lifecycles: [{ phase: "build" }],
      // npm uses the name of the folder.
      component: { ...component, type: "application", name: manifest.name },
    },
    components: [...bom.components, bun, ...image],
    dependencies: [
      ...bom.dependencies.map((each) =>
        each.ref === component["bom-ref"]
          ? { ...each, dependsOn: [...(each.dependsOn ?? []), bun["bom-ref"], ...image.map((one) => one["bom-ref"])] }
          : each,
      ),
      ...[bun, ...image].map((each) => ({ ref: each["bom-ref"], dependsOn: [] })),
    ],
  };
}

/**
 * Validates a bill of materials against the schema of its version.
 * @throws Error with the violations
 */
export async function validateSbom(bom: Bom): Promise<void> {
  const versions: readonly string[] = Object.values(Spec.Version);
  const version = Object.values(Spec.Version)[versions.indexOf(bom.specVersion)];
  if (!version) throw new Error(`unknown version of CycloneDX: ${bom.specVersion}`);
  const problems = await new Validation.JsonStrictValidator(version).validate(JSON.stringify(bom));
  if (problems !== null) throw new Error(`The SBOM violates the schema: ${JSON.stringify(problems, null, 2)}`);
}

/**
 * Returns a bill of materials without the packages that only development needs. npm's own `--omit dev` also leaves packages
 * out that the program and its development need.
 */
function withoutDevelopment(bom: Bom): Bom {
  const components = bom.components.filter(
    ({ properties }) => !(properties as Property[] | undefined)?.some(({ name }) => name === DEVELOPMENT_PROPERTY),
  );
  const known = new Set([bom.metadata.component["bom-ref"], ...components.map((each) => each["bom-ref"])]);
  const dependencies = bom.dependencies
    .filter(({ ref }) => known.has(ref))
    .map((each) => ({ ...each, dependsOn: (each.dependsOn ?? []).filter((ref) => known.has(ref)) }));
  return { ...bom, components, dependencies };
}

interface Property {
  readonly name: string;
}

const DEVELOPMENT_PROPERTY = "cdx:npm:package:development";

/** Each executable contains the runtime of its target; package-lock.json has their hashes. */
async function bunComponent(root: string): Promise<Component> {
  const lock = (await Bun.file(join(root, "package-lock.json")).json()) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  const properties = TARGETS.map(({ name, runtime }) => {
    return {
      name: `quern:runtime:${name}`,
      value: `${runtime}@${Bun.version} ${lock.packages[`node_modules/${runtime}`]?.integrity}`,
    };
  });
  return {
    "bom-ref": `bun@${Bun.version}`,
    type: "framework",
    name: "bun",
    version: Bun.version,
    description:
      "JavaScript runtime, with JavaScriptCore, SQLite, BoringSSL and other libraries that it links statically",
    scope: "required",
    purl: `pkg:npm/bun@${Bun.version}`,
    licenses: [{ license: { id: "MIT" } }],
    externalReferences: [{ type: "vcs", url: "https://github.com/oven-sh/bun" }],
    properties,
  };
}

function debianComponent({ name, version }: DebianPackage): Component {
  return {
    "bom-ref": `debian/${name}@${version}`,
    type: "library",
    name,
    version,
    description: "In the container image only",
    scope: "optional",
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}`,
  };
}

/** Returns a UUID that depends on a text only (version 8, RFC 9562). */
function uuidOf(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
