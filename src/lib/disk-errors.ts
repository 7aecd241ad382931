/** System error codes of a full, read-only or failing disk. */
const DISK_ERROR_CODES = /^(ENOSPC|EDQUOT|EROFS|EIO|EACCES|EPERM)$/;
/** System error codes of file descriptor exhaustion. */
const DESCRIPTOR_ERROR_CODES = /^(EMFILE|ENFILE)$/;

const errorCode = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

/** Returns true for errors of a full or failing disk. */
export const isDiskError = (error: unknown): boolean => DISK_ERROR_CODES.test(errorCode(error));

/** Returns true when the process has reached its file descriptor limit. */
export const isOutOfFileDescriptors = (error: unknown): boolean => DESCRIPTOR_ERROR_CODES.test(errorCode(error));
