/** The form in which addresses are compared: without surrounding blanks, lower case. */
export const normaliseEmail = (email: string): string => email.trim().toLowerCase();

/** True for what can be an address: something on both sides of one `@`, no blanks, not longer than mail allows. */
export const isEmail = (email: string): boolean => email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email.trim());
