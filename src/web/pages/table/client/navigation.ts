/** Whether the user's action is about to navigate to another page. */

let isNavigatingAway = false;

/** True from the start of an action that navigates: events received meanwhile are ignored. */
export const isNavigating = (): boolean => isNavigatingAway;

/** Performs an action, then navigates to the URL that it returns; stays when it throws. */
export async function navigateAfter(work: () => Promise<string>): Promise<void> {
  isNavigatingAway = true;
  try {
    location.assign(await work());
  } catch (error) {
    isNavigatingAway = false;
    throw error;
  }
}
