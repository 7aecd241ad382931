import { randomBytes } from "node:crypto";
import { sha256Hex } from "../../lib/ids.ts";

/** Number of codes of a user. */
export const RECOVERY_CODE_COUNT = 10;

/** 32 letters and digits, few of which look alike. */
const ALPHABET = "23456789abcdefghijkmnpqrstuvwxyz";
const LENGTH = 16;
const GROUP_LENGTH = 4;

/** Returns new recovery codes: 80 random bits each, so that their hashes need no salt. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODE_COUNT }, newCode);

/** Returns the hash of a code, however it was typed. */
export const hashRecoveryCode = (code: string): string => sha256Hex(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));

function newCode(): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length] ?? "").join("");
  return letters.match(new RegExp(`.{${GROUP_LENGTH}}`, "g"))?.join("-") ?? letters;
}
