/** A TLS certificate and its private key, in files in PEM format. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { readFileSync, statSync } from "node:fs";

/** Paths of the files. */
export interface TlsFiles {
  /** The certificate, followed by its chain. */
  readonly cert: string;
  readonly key: string;
}

export interface TlsCertificate {
  /** Contents of the files. */
  readonly cert: string;
  readonly key: string;
  /** The host names and addresses that it is valid for, as the certificate writes them. */
  readonly names: string;
  readonly validFrom: Date;
  readonly expiresAt: Date;
}

/**
 * Reads both files and checks that they belong together. An expired certificate is returned as well.
 * @throws Error with a sentence that names the file
 */
export function readTlsFiles(files: TlsFiles): TlsCertificate {
  const cert = readText(files.cert);
  const key = readText(files.key);
  const certificate = parseCertificates(cert, files.cert);
  if (!certificate.checkPrivateKey(parsePrivateKey(key, files.key))) {
    throw new Error(`the private key in ${files.key} does not belong to the first certificate in ${files.cert}`);
  }
  const { subject, subjectAltName, validFromDate, validToDate } = certificate;
  return { cert, key, names: subjectAltName ?? subject, validFrom: validFromDate, expiresAt: validToDate };
}

/**
 * Returns a text that changes when one of the files is written, replaced, or appears: also when a link points to
 * another file, which is how certbot and Kubernetes replace them.
 */
export const versionOfTlsFiles = ({ cert, key }: TlsFiles): string => `${versionOf(cert)} ${versionOf(key)}`;

function versionOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":") : "missing";
}

const OTHERS_MAY_READ = 0o004;

/** True when every user of the machine may read the private key. */
export const isKeyReadableByOthers = ({ key }: TlsFiles): boolean => (statSync(key).mode & OTHERS_MAY_READ) !== 0;

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "is not readable: permission denied",
  EISDIR: "is a folder",
};

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new Error(`${path} ${READ_PROBLEMS[code] ?? `is not readable: ${message}`}`, { cause: error });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Returns the first certificate; the others, of the chain, have to be valid too. */
function parseCertificates(text: string, path: string): X509Certificate {
  try {
    const [first] = [...text.matchAll(CERTIFICATE)].map(([block]) => new X509Certificate(block));
    if (first) return first;
  } catch (error) {
    throw new Error(`${path} contains a damaged certificate`, { cause: error });
  }
  throw new Error(`${path} contains no certificate in PEM format`);
}

function parsePrivateKey(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MISSING_PASSPHRASE") {
      throw new Error(`the private key in ${path} has a passphrase: store it without one`, { cause: error });
    }
    throw new Error(`${path} contains no private key in PEM format`, { cause: error });
  }
}
