import type { PageContext } from "../../base/page-context.ts";
import { downloadAudit, showAudit } from "./audit.tsx";
import { startBackupNow, showBackups } from "./backups.tsx";
import { showDocuments } from "./documents.tsx";
import { sendTest, showEmail } from "./email.tsx";
import { showErrors } from "./log-problems.tsx";
import { changeGroup, showGroup } from "./groups/group.tsx";
import { addNewGroup, showGroups } from "./groups/page.tsx";
import { changeJob, showJobs } from "./jobs.tsx";
import { withAdmin, type AdminPageContext } from "./layout.tsx";
import { showNodes } from "./nodes.tsx";
import { showOverview } from "./overview.tsx";
import { showSettings } from "./settings.tsx";
import { showSignIn, testSignIn } from "./sign-in.tsx";
import { addUser, showAddUser } from "./users/add-user.tsx";
import { changeUser, showUsers } from "./users/page.tsx";
import { showUser } from "./users/user-details.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";

/** The administration pages. */
export const adminRoutes: PageRoutes = (app) => {
  app.get("/admin", adminPage(showOverview));
  app.get("/admin/users", adminPage(showUsers)).post(addUser);
  app.get("/admin/users/add", adminPage(showAddUser));
  app.get("/admin/users/:userId{[0-9]{1,15}}", adminPage(showUser));
  app.get("/admin/groups", adminPage(showGroups)).post(addNewGroup);
  app.get("/admin/groups/:groupId{[0-9]{1,15}}", adminPage(showGroup));
  app.post("/admin/groups/:groupId{[0-9]{1,15}}/:action{add|remove|rename|delete}", changeGroup);
  app.get("/admin/groups/:groupId/:action", (c) => c.redirect("/admin/groups"));
  app.get("/admin/providers", adminPage(showSignIn));
  app.post("/admin/providers/:provider/test", testSignIn);
  app.get("/admin/providers/:provider/test", (c) => c.redirect("/admin/providers"));
  app.get("/admin/jobs", adminPage(showJobs));
  app.post("/admin/jobs/:jobId/:action{cancel|retry}", changeJob);
  app.get("/admin/jobs/:jobId/:action", (c) => c.redirect("/admin/jobs"));
  app.get("/admin/documents", adminPage(showDocuments));
  app.get("/admin/audit", adminPage(showAudit));
  app.get("/admin/audit/download", adminPage(downloadAudit));
  app.get("/admin/errors", adminPage(showErrors));
  app.get("/admin/nodes", adminPage(showNodes));
  app.get("/admin/backups", adminPage(showBackups)).post(startBackupNow);
  app.get("/admin/email", adminPage(showEmail)).post(sendTest);
  app.get("/admin/settings", adminPage(showSettings));
  app.post("/admin/users/:userId{[0-9]{1,15}}/:action{[a-z-]{1,40}}", changeUser);
  // The paths of forms, which the address bar shows after an error or a one-time link.
  app.get("/admin/users/:userId/:action", (c) => c.redirect("/admin/users"));
};

const adminPage = (show: (visit: AdminPageContext) => Response | Promise<Response>) => (c: PageContext) =>
  withAdmin(c, show);
