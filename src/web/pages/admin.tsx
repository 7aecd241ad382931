import type { PageContext } from "../env.ts";
import { backUpNow, showBackups } from "../admin/backups.tsx";
import { showDocuments } from "../admin/documents.tsx";
import { showErrors } from "../admin/errors.tsx";
import { forAdmin, type AdminVisit } from "../admin/frame.tsx";
import { showOverview } from "../admin/overview.tsx";
import { showSettings } from "../admin/settings.tsx";
import { changeUser, showUsers } from "../admin/users.tsx";
import type { PageRoutes } from "../page-route.ts";

/** The pages for administrators of the installation. */
export const adminRoutes: PageRoutes = (app) => {
  app.get("/admin", forAdmins(showOverview));
  app.get("/admin/users", forAdmins(showUsers));
  app.get("/admin/documents", forAdmins(showDocuments));
  app.get("/admin/errors", forAdmins(showErrors));
  app.get("/admin/backups", forAdmins(showBackups)).post(backUpNow);
  app.get("/admin/settings", forAdmins(showSettings));
  app.post("/admin/users/:userId{[0-9]{1,15}}/:action{disable|enable|reset}", changeUser);
  // The address bar shows these after something was refused, or a link shown.
  app.get("/admin/users/:userId/:action", (c) => c.redirect("/admin/users"));
};

const forAdmins = (show: (visit: AdminVisit) => Response | Promise<Response>) => (c: PageContext) => forAdmin(c, show);
