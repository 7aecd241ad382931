/** The key of the session storage for a toast that the next page shows. */
export const TABLE_TOAST_KEY = "quern.table-toast";
