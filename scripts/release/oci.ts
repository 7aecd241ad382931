/** Container images: an OCI image layout in a tar archive, which Podman, skopeo and Docker load. */
import { packItems, type TarItem } from "./tar.ts";

export interface ImageInput {
  readonly architecture: "amd64" | "arm64";
  /** `quern:0.2.0` */
  readonly tag: string;
  /** The contents of each layer, lowest first, with what created it. */
  readonly layers: readonly { readonly createdBy: string; readonly items: readonly TarItem[] }[];
  readonly time: Date;
  readonly labels: Readonly<Record<string, string>>;
  /** `uid:gid` */
  readonly user: string;
  readonly environment: readonly string[];
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const SECOND_NS = 1_000_000_000;

/**
 * The command that checks the health of the server in the container. The OCI specification has no field for it; Docker
 * reads its own field from OCI images too. Podman does not: with it, use --health-cmd or the Compose file.
 */
export const HEALTH_CHECK = {
  Test: ["CMD", "quern", "status"],
  Interval: 30 * SECOND_NS,
  Timeout: 6 * SECOND_NS,
  StartPeriod: 10 * SECOND_NS,
};

/** Returns the image layout as a tar archive. The same input results in the same bytes. */
export async function createImage(input: ImageInput): Promise<Uint8Array<ArrayBuffer>> {
  const blobs: TarItem[] = [];
  const addBlob = (mediaType: string, content: Uint8Array): Descriptor => {
    const hash = sha256(content);
    blobs.push({ path: `blobs/sha256/${hash}`, mode: 0o644, content });
    return { mediaType, digest: `sha256:${hash}`, size: content.byteLength };
  };

  const layers: Descriptor[] = [];
  const diffIds: string[] = [];
  for (const { items } of input.layers) {
    const tar = await packItems(items, input.time);
    diffIds.push(`sha256:${sha256(tar)}`);
    const packed = Bun.gzipSync(tar, { level: 9, library: "zlib" });
    layers.push(addBlob("application/vnd.oci.image.layer.v1.tar+gzip", packed));
  }
  const config = addBlob("application/vnd.oci.image.config.v1+json", json(imageConfig(input, diffIds)));
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = addBlob(mediaType, json({ schemaVersion: 2, mediaType, config, layers }));
  const blobPath = ({ digest }: Descriptor): string => `blobs/${digest.replace(":", "/")}`;
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...manifest,
        platform: { architecture: input.architecture, os: "linux" },
        annotations: {
          "org.opencontainers.image.ref.name": input.tag.split(":")[1],
          // How containerd and Docker name the image.
          "io.containerd.image.name": `docker.io/library/${input.tag}`,
        },
      },
    ],
  };
  const file = (path: string, value: unknown): TarItem => ({ path, mode: 0o644, content: json(value) });
  return packItems(
    [
      file("oci-layout", { imageLayoutVersion: "1.0.0" }),
      file("index.json", index),
      // For "docker load" of versions that do not read image layouts.
      file("manifest.json", [{ Config: blobPath(config), RepoTags: [input.tag], Layers: layers.map(blobPath) }]),
      ...blobs,
    ],
    input.time,
  );
}

function imageConfig(input: ImageInput, diffIds: readonly string[]): object {
  const created = input.time.toISOString();
  return {
    created,
    architecture: input.architecture,
    os: "linux",
    config: {
      User: input.user,
      Env: ["PATH=/usr/bin:/bin", ...input.environment],
      Entrypoint: ["quern"],
      Cmd: ["serve"],
      ExposedPorts: { "8080/tcp": {} },
      Volumes: { "/var/lib/quern": {} },
      WorkingDir: "/var/lib/quern",
      Labels: input.labels,
      StopSignal: "SIGTERM",
      Healthcheck: HEALTH_CHECK,
    },
    rootfs: { type: "layers", diff_ids: diffIds },
    history: input.layers.map(({ createdBy }) => ({ created, created_by: createdBy })),
  };
}

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const sha256 = (content: Uint8Array): string => new Bun.CryptoHasher("sha256").update(content).digest("hex");
