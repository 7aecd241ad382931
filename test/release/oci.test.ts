/** The container image: a valid layout with a user, a volume and a health check. */
import { describe, expect, test } from "bun:test";
import { unpackTar } from "modern-tar";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { IMAGE_USER } from "../../scripts/release/oci-base.ts";
import { createImage, type ImageInput } from "../../scripts/release/oci.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

interface Descriptor {
  digest: string;
  size: number;
}

const input: ImageInput = {
  architecture: "arm64",
  tag: "quern:1.2.3",
  time: new Date(1_700_000_000_000),
  user: `${IMAGE_USER}:${IMAGE_USER}`,
  environment: ["QUERN_DATA=/var/lib/quern"],
  labels: { "org.opencontainers.image.version": "1.2.3" },
  layers: [
    { createdBy: "base", items: [{ path: "var/lib/quern", mode: 0o700, id: IMAGE_USER }] },
    { createdBy: "program", items: [{ path: "usr/bin/quern", mode: 0o755, content: new Uint8Array(1000) }] },
  ],
};

const sha256 = (content: Uint8Array): string => new Bun.CryptoHasher("sha256").update(content).digest("hex");

async function files(): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const entries = await unpackTar(await createImage(input));
  return new Map(entries.flatMap(({ header, data }) => (data ? [[header.name, data] as const] : [])));
}

const layout = await files();

describe("the image layout", () => {
  const json = (path: string): unknown => JSON.parse(new TextDecoder().decode(layout.get(path)));
  const blob = ({ digest, size }: Descriptor): string => {
    const path = `blobs/${digest.replace(":", "/")}`;
    expect([path, layout.get(path)?.byteLength]).toEqual([path, size]);
    return path;
  };
  const index = json("index.json") as { manifests: [Descriptor & { platform: object }] };
  const manifest = json(blob(index.manifests[0])) as { config: Descriptor; layers: Descriptor[] };
  const config = json(blob(manifest.config)) as {
    config: Record<string, unknown>;
    rootfs: { diff_ids: string[] };
  };

  test("names each blob by its checksum", () => {
    expect(json("oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
    const blobs = [...layout].filter(([path]) => path.startsWith("blobs/"));
    expect(blobs).toHaveLength(4);
    for (const [path, content] of blobs) expect(path).toBe(`blobs/sha256/${sha256(content)}`);
    expect(index.manifests[0].platform).toEqual({ architecture: "arm64", os: "linux" });
  });

  test("lists the checksums of layers without compression", () => {
    const unpacked = manifest.layers.map((layer) => Bun.gunzipSync(layout.get(blob(layer)) ?? new Uint8Array()));
    expect(config.rootfs.diff_ids).toEqual(unpacked.map((tar) => `sha256:${sha256(tar)}`));
  });

  test("runs as an unprivileged user, with a volume and a health check", () => {
    expect(config.config).toMatchObject({
      User: "10001:10001",
      Entrypoint: ["quern"],
      Cmd: ["serve"],
      Volumes: { "/var/lib/quern": {} },
      StopSignal: "SIGTERM",
      Healthcheck: { Test: ["CMD", "quern", "status"] },
    });
  });

  test("can be loaded as an archive of docker save, too", () => {
    const [image] = json("manifest.json") as [{ Config: string; RepoTags: string[]; Layers: string[] }];
    expect(image).toEqual({
      Config: blob(manifest.config),
      RepoTags: ["quern:1.2.3"],
      Layers: manifest.layers.map(blob),
    });
  });

  test("is the same for the same input", async () => {
    expect(Bun.hash(await createImage(input))).toBe(Bun.hash(await createImage(input)));
  });

  test.skipIf(Bun.which("umoci") === null)("is accepted by umoci", () => {
    const folder = tempFolder();
    for (const [path, content] of layout) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const { exitCode, stdout } = Bun.spawnSync(["umoci", "stat", "--json", "--image", `${folder}:1.2.3`]);
    expect(exitCode).toBe(0);
    expect(stdout.toString()).toContain("program");
  });
});
