/** Whether the page is about to be left for another one by what the person does. */

let isNavigatingAway = false;

/** True from the beginning of what ends with another page: what is told of it from elsewhere changes nothing then. */
export const isNavigating = (): boolean => isNavigatingAway;

/** Does something, then goes to the address that it gives; stays where it throws. */
export async function navigateAfter(work: () => Promise<string>): Promise<void> {
  isNavigatingAway = true;
  try {
    location.assign(await work());
  } catch (error) {
    isNavigatingAway = false;
    throw error;
  }
}
