/** Addresses of the help about what a page shows. */
export const HELP_LINKS = {
  access: "/help/access-recipes",
  groups: "/help/operations#groups",
  jobs: "/help/operations#background-jobs",
  administration: "/help/operations#administration",
  api: "/help/api",
  auditLog: "/help/audit-log",
  backups: "/help/backup",
  disabling: "/help/operations#disabling-a-document",
  documentSettings: "/help/tables#document-settings",
  email: "/help/email",
  filters: "/help/filtering",
  forms: "/help/forms",
  formulas: "/help/formulas",
  functions: "/help/functions",
  history: "/help/tables#history",
  importing: "/help/importing",
  nodes: "/help/cluster#operating",
  monitoring: "/help/operations#monitoring",
  pages: "/help/pages",
  settings: "/help/settings",
  sharing: "/help/getting-started#share-the-document",
  singleSignOn: "/help/single-sign-on",
  sql: "/help/sql",
  start: "/help/getting-started",
  tables: "/help/tables",
  troubleshooting: "/help/operations#troubleshooting",
  webhooks: "/help/webhooks",
} as const;

export type HelpTopic = keyof typeof HELP_LINKS;

/** Pages that say what to do about an error, by its code or the beginning of its code. */
const ERROR_LINKS: Readonly<Record<string, string>> = {
  "access.denied": HELP_LINKS.sharing,
  "access.edit_denied": HELP_LINKS.sharing,
  "access.origin": "/help/operations#behind-a-reverse-proxy",
  "access.rules": "/help/access-rules",
  "access.view_denied": HELP_LINKS.sharing,
  "webhook.url_denied": "/help/webhooks#receivers-in-your-own-network",
  filter: HELP_LINKS.filters,
  file: "/help/importing#when-an-import-is-refused",
  formula: "/help/formulas#limits",
  limit: "/help/limits",
  sql: HELP_LINKS.sql,
  storage: HELP_LINKS.troubleshooting,
};

/** Returns the help about an error; null where it says no more than the error itself. */
export const errorHelpLink = (code: string): string | null =>
  ERROR_LINKS[code] ?? ERROR_LINKS[code.replace(/\..*/, "")] ?? null;
