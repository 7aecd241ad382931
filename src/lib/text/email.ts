/** Returns the normalized form in which addresses are compared: trimmed, lower case. */
export const normaliseEmail = (email: string): string => email.trim().toLowerCase();

/**
 * Returns true for a plausible address: text on both sides of one `@`, no white space, within the length limit of SMTP.
 */
export const isEmail = (email: string): boolean => email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email.trim());
