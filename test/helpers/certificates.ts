/** Certificates for tests, made by openssl: a root that clients trust, an intermediate, and servers' certificates. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Authority {
  /** The root certificate in PEM format. */
  readonly root: string;
  /** Writes `<name>.crt` (with the chain) and `<name>.key` for `localhost` and `127.0.0.1`, by default for 90 days. */
  issue(name: string, days?: number): TlsPaths;
}

export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

/** True where the program is installed. */
export const HAS_OPENSSL = Bun.which("openssl") !== null;

/** Creates a root and an intermediate certificate in a folder. */
export function createAuthority(folder: string): Authority {
  const path = (name: string) => join(folder, name);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout"];
  const isAuthority = ["-addext", "basicConstraints=critical,CA:TRUE"];
  const subject = (name: string) => ["-subj", `/CN=${name}`];
  openssl(["req", "-x509", ...newKey, path("root.key"), "-out", path("root.crt"), "-days", "90", ...subject("root")]);
  const sign = (name: string, issuer: string, options: readonly string[]) => {
    openssl(["req", ...newKey, path(`${name}.key`), "-out", path(`${name}.csr`), ...subject(name), ...options]);
    const issuedBy = ["-CA", path(`${issuer}.crt`), "-CAkey", path(`${issuer}.key`), "-CAcreateserial"];
    const request = ["x509", "-req", "-in", path(`${name}.csr`), "-copy_extensions", "copy", ...issuedBy];
    return (days: number) => openssl([...request, "-out", path(`${name}.crt`), "-days", String(days)]);
  };
  sign("intermediate", "root", isAuthority)(90);
  return {
    root: readFileSync(path("root.crt"), "utf8"),
    issue(name, days = 90) {
      const names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
      sign(name, "intermediate", names)(days);
      const files = { cert: path(`${name}.crt`), key: path(`${name}.key`) };
      writeFileSync(files.cert, readFileSync(files.cert, "utf8") + readFileSync(path("intermediate.crt"), "utf8"));
      return files;
    },
  };
}

/** Replaces the files of a server, as certbot's deploy hooks do: each of them is written and renamed. */
export function replaceFiles(target: TlsPaths, source: TlsPaths): void {
  for (const kind of ["cert", "key"] as const) {
    writeFileSync(`${target[kind]}.new`, readFileSync(source[kind]), { mode: 0o600 });
    renameSync(`${target[kind]}.new`, target[kind]);
  }
}

function openssl(args: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync(["openssl", ...args], { stdin: "ignore", stderr: "pipe" });
  if (!success) throw new Error(`openssl ${args.join(" ")}: ${stderr.toString()}`);
}
